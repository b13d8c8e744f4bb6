//! The part of the documentation that is made from the tables: purposes, variables, filters and parts.

use std::fmt::Write as _;

use super::environment::{FILTERS, FUEL, PARTS};
use super::purpose::Purpose;
use super::variables::VARIABLES;

/// Returns the reference of templates, in Markdown.
pub fn document() -> String {
    let mut page =
        "# Templates of prompts\n\nMade from the code; [prompts.md](../prompts.md) explains it.\n".to_owned();
    page.push_str("\n## Purposes\n\n| purpose | what it is for |\n|---|---|\n");
    for purpose in Purpose::ALL {
        let _ = writeln!(page, "| `{purpose}` | {} |", purpose.summary());
    }
    page.push_str(
        "\n## Variables\n\nWhat stands before `?` may be nothing (`none`): ask with `{% if issue %}`, or for blocks, which may be \
         there and empty, with `is not none`. `[]` is a member of a list: `{% for comment in comments %}`. A block prints itself as a \
         fenced block.\n\n| variable | what it is | meaning |\n|---|---|---|\n",
    );
    for variable in VARIABLES {
        let _ = writeln!(page, "| `{}` | {} | {} |", variable.name, variable.shape.as_str(), variable.about);
    }
    page.push_str("\n## Filters\n\n| filter | what it gives |\n|---|---|\n");
    for (name, about) in FILTERS {
        let _ = writeln!(page, "| `{name}` | {about} |");
    }
    page.push_str("\nTests: `is defined`, `is none`. There are no functions.\n");
    let parts: Vec<_> = PARTS.iter().map(|(name, _)| format!("`{name}`")).collect();
    let _ = write!(
        page,
        "\n## Parts\n\n`{{% include \"head\" %}}` prints a part of the built-in templates: {}. Nothing else can be included.\n",
        parts.join(", ")
    );
    let _ = write!(page, "\nA template takes {FUEL} steps at most.\n");
    page
}

//! Material to try templates with: one that has everything, and one that has next to nothing.

use super::material::{
    BaseChanges, Board, ChangedFile, Issue, Material, Note, NoteKind, Pull, StageOutput, StageWork, Thread,
    WakeUp, Workplace,
};
use super::purpose::Purpose;
use crate::RepoSlug;
use crate::pipeline::effect::Job;
use crate::pipeline::item::Comment;
use crate::slot::Reason;
use crate::time::ServerTime;

/// Returns material with everything that a prompt for a purpose can say.
pub fn full(purpose: Purpose) -> Material {
    Material {
        board: Some(Board { owner: "acme".to_owned(), number: 3, is_organisation: true }),
        issue: Some(issue()),
        comments: vec![
            comment(11, "ana", "Please keep the old flag working.", 0),
            comment(12, "renovate[bot]", "A newer version of the parser is out.", 60),
        ],
        new_comments: vec![11, 12],
        threads: vec![thread()],
        failed_checks: Some("## New with this change\n- unit tests (failure)\n".to_owned()),
        outputs: vec![
            StageOutput { stage: "Research".to_owned(), text: "The parser is in src/parse.rs.".to_owned() },
            StageOutput { stage: "Plan".to_owned(), text: "- [ ] Read the new flag".to_owned() },
        ],
        workplace: Some(workplace()),
        base_changes: Some(BaseChanges {
            since: "9fceb02d0ae598e95dc970b74767f19372d61af8".to_owned(),
            files: vec![ChangedFile { status: "M".to_owned(), path: "src/parse.rs".to_owned() }],
        }),
        pull: Some(Pull { number: 8, description: "Adds the flag.\n\nCloses #7".to_owned() }),
        resumes: true,
        attempt: 2,
        notes: NoteKind::ALL.iter().map(|kind| note(*kind)).collect(),
        wake: Some(WakeUp {
            reason: Reason::IssueCommented,
            task: Some("nightly".to_owned()),
            context: serde_json::json!({ "comment_ids": [11, 12] }),
        }),
        ..sparse(purpose)
    }
}

/// Returns material with only what every prompt for a purpose has.
pub fn sparse(purpose: Purpose) -> Material {
    let repo = RepoSlug::new("acme", "web").expect("it is a name");
    let issue = Issue {
        number: 7,
        title: String::new(),
        url: String::new(),
        author: String::new(),
        labels: Vec::new(),
        body: String::new(),
    };
    let issue = Some(issue).filter(|_| purpose != Purpose::Wake);
    Material { issue, stage: stage(purpose), ..Material::new(repo) }
}

fn stage(purpose: Purpose) -> Option<StageWork> {
    let (name, job) = match purpose {
        Purpose::Wake => return None,
        Purpose::Stage => ("Plan", Job::Stage),
        Purpose::Comment => ("Plan", Job::Comments),
        Purpose::CommentOnPr => ("Implement", Job::Comments),
        Purpose::Review => ("Review", Job::Review),
        Purpose::CiFix => ("Validate", Job::CiFix),
        Purpose::Rebase => ("Validate", Job::Rebase),
    };
    let read_only = name == "Plan";
    Some(StageWork { name: name.to_owned(), job, read_only, post_to_pr: !read_only, file: None })
}

fn issue() -> Issue {
    Issue {
        number: 7,
        title: "Add a --quiet flag".to_owned(),
        url: "https://tracker.example/acme/web/issues/7".to_owned(),
        author: "ana".to_owned(),
        labels: vec!["enhancement".to_owned()],
        body: "The tool prints too much.\n\n```sh\nweb build\n```\n".to_owned(),
    }
}

fn comment(id: u64, author: &str, body: &str, seconds: i64) -> Comment {
    Comment {
        id,
        author: author.to_owned(),
        is_bot: author.ends_with("[bot]"),
        may_write: true,
        is_own_account: false,
        body: body.to_owned(),
        created_at: ServerTime(1_790_000_000 + seconds),
        has_rocket: false,
        is_on_pull: false,
        signs: Vec::new(),
    }
}

fn thread() -> Thread {
    Thread {
        id: "PRRT_kwDO1".to_owned(),
        path: "src/parse.rs".to_owned(),
        line: Some(42),
        diff_hunk: "@@ -40,3 +40,4 @@\n+    quiet: bool,".to_owned(),
        comments: vec![Comment { is_on_pull: true, ..comment(21, "ben", "Is this read anywhere?", 120) }],
    }
}

fn workplace() -> Workplace {
    Workplace {
        branch: "baton/issue-7".to_owned(),
        base: "main".to_owned(),
        base_commit: "1f7a7a472abf3dd9643fd615f6da379c4acb3e3a".to_owned(),
        missing_base: Some("release-2".to_owned()),
        conflicts: vec!["src/parse.rs".to_owned()],
    }
}

fn note(kind: NoteKind) -> Note {
    let is_by_person = matches!(kind, NoteKind::Rejected | NoteKind::Amendment);
    Note { kind, by: is_by_person.then(|| "ana".to_owned()), text: format!("This is about: {kind}.") }
}

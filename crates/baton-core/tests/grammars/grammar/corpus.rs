//! Texts that mean something, for each grammar, and pieces of such.

pub(super) const MARKERS: &[&str] = &[
    "All tests pass.\n\nBATON_STAGE_COMPLETE\n",
    "I need to know more.\nBATON_SUMMARY_BEGIN\nWhich port?\nBATON_SUMMARY_END\nBATON_BLOCKED_ON_INPUT\n",
    "BATON_ISSUE_UPDATE_BEGIN\n# Title\n\n```rust\nfn main() {}\n```\nBATON_ISSUE_UPDATE_END\nBATON_STAGE_COMPLETE",
    "Two parts.\nBATON_SUB_ISSUE_BEGIN acme/web\nTITLE: The first\nText\nBATON_SUB_ISSUE_END\n\
     BATON_SUB_ISSUE_BEGIN\nTITLE: The second\n\nMore\nBATON_SUB_ISSUE_END\r\nBATON_DECOMPOSED\n",
    "Print `BATON_STAGE_COMPLETE` at the end:\n\n````sh\n~~~\nBATON_STAGE_COMPLETE\n````\n",
];

pub(super) const CLAIMS: &[&str] = &[
    "<!-- agent-claim:codename=lucius firing_id=20260501-194217-643a ts=2026-05-01T19:42:33Z ttl=14400s \
     nonce=00000000000000000000000000000abc epoch=3 state=held clock=writer mood=good -->\n**lucius** holds this.",
    "<!-- agent-release:codename=b firing_id=B claim=7 outcome=race-yielded-to=lucius:A to=agent:implement pr=#4 ts=x -->",
    "<!-- claim run=9f2c ttl=600s --> claimed by worker-7",
];

pub(super) const CONFIG: &[&str] = &[
    "user: ann\nclaims:\n  ttl: 2h\n  blocking_labels: [a, 'b c', \"d\\te\"]\n  protocol: ref\nhook:\n  fail: open\n",
    "# comment\nagents:\n  coder:\n    adapter: command\n    command: [sh, -c, \"echo 'hi'\"]\n    env: [PATH]\n    runs_per_day: 5\n",
    "store: sqlite:.baton/baton.db\nmax_concurrent: 0x10\nretry: {base: 1.50, cap: &cap 30min}\nkill_grace: *cap\n",
    "stages: |\n  literal\n   text\nuser: >-\n  folded\n  text\ntracker: !!map\n  api_url: !!str https://api.example\n",
    "---\n? user\n: ann\nworkers:\n- a\n- - b\n  - {c: d}\n...\n",
];

pub(super) const FABRIK: &[&str] = &[
    "owner: acme\nrepo: web\nproject: 4\nuser: ann\npoll: 30\nyolo: true\nmax_retries: 0\n",
    "auto_merge_strategy: SQUASH\ncomment_cycle_window: 30\nghes_host: ghe.example\nmax_comment_cycles_per_window: 0\n",
    "required_status_contexts:\n  acme/web:\n    - build\n    - 'test (1)'\ngithub_app_id: 12\n",
];

pub(super) const STAGES: &[&str] = &[
    "name: Plan\norder: 2\nprompt: |\n  Write a plan.\n\n  Print FABRIK_STAGE_COMPLETE.\nread_only: true\nmax_turns: 50\n",
    "name: Implement\norder: 3\nskill: implement\nallowed_tools: [Bash, 'Edit']\nmax_wall_time: 1h30m0s\nkill_grace: 1.5h\n",
    "name: Review\norder: -4\nprompt: look\nwait_for_reviews: true\nexpected_reviewers:\n  - ann\n  - bot\nwait_for_ci: yes\n",
    "name: Done\norder: 99\ncleanup_worktree: true\n",
];

pub(super) const DOTENV: &[&str] = &[
    "# first\nexport BATON_USER=ann # why\nA='b # c'\nB=\"x\\n\\\"y\\\" \\\\ \\$\"\n\nC=\r\n",
    "\u{feff}GITHUB_TOKEN=a=b=c\nX_1=it's",
];

pub(super) const DURATIONS: &[&str] =
    &["4h", "15min", " 1h 30min 5s ", "500ms", "45", "10 seconds", "18446744073709551615d"];

pub(super) const CLOSING: &[&str] = &[
    "Fixes #1, closes acme/api#2.\nand (resolves https://github.com/acme/web/issues/9)",
    "`fixes #1` ```\nfixes #1\n```\n~~~\ncloses: #3\n~~~\n*Resolved* #4; see api#5",
];

pub(super) const ISSUE_REFS: &[&str] = &[
    "#42",
    "acme/web#42",
    "https://ghe.example:8443/acme/web/pull/42/",
    "http://127.0.0.1:7070/api/v3/repos/acme/web/issues/42?page=2#x",
];

pub(super) const CLAUDE: &[&str] = &[
    include_str!("../fixtures/claude/api_error.ndjson"),
    include_str!("../fixtures/claude/denied.ndjson"),
    include_str!("../fixtures/claude/killed_in_part.ndjson"),
    include_str!("../fixtures/claude/max_turns.ndjson"),
    include_str!("../fixtures/claude/no_session.ndjson"),
    include_str!("../fixtures/claude/partial.ndjson"),
    include_str!("../fixtures/claude/subagent.ndjson"),
    include_str!("../fixtures/claude/success.ndjson"),
    include_str!("../fixtures/claude/usage_limit.ndjson"),
];

pub(super) const CODEX: &[&str] = &[
    include_str!("../fixtures/codex/failed.ndjson"),
    include_str!("../fixtures/codex/success.ndjson"),
    include_str!("../fixtures/codex/tools.ndjson"),
];

pub(super) const GEMINI: &[&str] = &[
    include_str!("../fixtures/gemini/denied.ndjson"),
    include_str!("../fixtures/gemini/max_turns.ndjson"),
    include_str!("../fixtures/gemini/success.ndjson"),
    include_str!("../fixtures/gemini/tools.ndjson"),
];

pub(super) const PLAIN: &[&str] = &["one\n\ntwo\r\nBATON_STAGE_COMPLETE\n"];

/// Beginnings of texts.
pub(super) mod openings {
    pub(crate) const MARKERS: &[&str] =
        &["", "BATON_SUMMARY_BEGIN\n", "```\n", "BATON_SUB_ISSUE_BEGIN\nTITLE: a\n"];

    pub(crate) const CLAIMS: &[&str] = &[
        "",
        "<!-- agent-claim:codename=a firing_id=F ",
        "<!-- agent-release:codename=a firing_id=F ",
        "<!-- claim run=1 ",
    ];

    pub(crate) const CONFIG: &[&str] =
        &["", "user: ", "claims:\n  blocking_labels: ", "agents:\n  x:\n    command: ", "x: &a [1]\ny: "];

    pub(crate) const FABRIK: &[&str] = &["", "user: ", "required_status_contexts:\n  "];

    pub(crate) const STAGES: &[&str] =
        &["", "name: ", "name: a\nprompt: ", "name: a\nallowed_tools: ", "name: a\nkill_grace: "];

    pub(crate) const DOTENV: &[&str] = &["", "A=", "A='", "A=\""];

    pub(crate) const DURATIONS: &[&str] = &["", "1h "];

    pub(crate) const CLOSING: &[&str] = &["", "fixes ", "```\n"];

    pub(crate) const ISSUE_REFS: &[&str] = &["", "https://x/", "a/b#"];

    pub(crate) const CLAUDE: &[&str] = &[
        "",
        "{\"type\":\"result\",\"errors\":",
        "{\"type\":\"result\",\"result\":\"",
        "{\"type\":\"assistant\",\"message\":{\"content\":[",
    ];

    pub(crate) const CODEX: &[&str] = &["", "{\"type\":\"item.completed\",\"item\":"];

    pub(crate) const GEMINI: &[&str] = &["", "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\""];

    pub(crate) const PLAIN: &[&str] = &[""];
}

/// Pieces of texts.
pub(super) mod tokens {
    pub(crate) const MARKERS: &[&str] = &[
        "BATON_",
        "BATON_STAGE_COMPLETE",
        "\nBATON_STAGE_COMPLETE\n",
        "\nBATON_DECOMPOSED\n",
        "\nBATON_SUMMARY_BEGIN\n",
        "\nBATON_SUMMARY_END\n",
        "\nBATON_ISSUE_UPDATE_BEGIN\n",
        "\nBATON_ISSUE_UPDATE_END\n",
        "\nBATON_SUB_ISSUE_BEGIN\n",
        "\nBATON_SUB_ISSUE_BEGIN [a/b]\n",
        "\nBATON_SUB_ISSUE_END\n",
        "TITLE:",
        "\n```\n",
        "\n~~~~\n",
        "`",
        "    ",
        "\r\n",
        "FABRIK_",
    ];

    pub(crate) const CLAIMS: &[&str] = &[
        "<!-- agent-claim:",
        "<!-- agent-release:",
        "<!-- claim ",
        "-->",
        "codename=",
        "firing_id=",
        "nonce=",
        "ttl=",
        "epoch=",
        "outcome=",
        "claim=",
        "to=",
        "pr=",
        "swept_by=",
        "state=bid",
        "=",
        " ",
        "--",
        "18446744073709551616",
        "<!--",
    ];

    pub(crate) const CONFIG: &[&str] = &[
        ": ",
        "\n",
        "  ",
        "- ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "'",
        "\"",
        "&a ",
        "*a",
        "!!str ",
        "!",
        "|\n",
        ">-\n",
        "#",
        "---\n",
        "...\n",
        "? ",
        "<<: *a",
        "%YAML 1.2\n",
        "\t",
        "~",
        "null",
        "0x",
        "1e999",
        ".inf",
        "\\u0000",
        "claims:\n  ",
        "agents:\n  x:\n    ",
        "dialect: fabrik\n",
        "user: ",
        "\u{feff}",
    ];

    pub(crate) const FABRIK: &[&str] = CONFIG;

    pub(crate) const STAGES: &[&str] = CONFIG;

    pub(crate) const DOTENV: &[&str] =
        &["=", "'", "\"", "\\", "\\n", "$", " #", "#", "export ", "\n", "\r", "A=", "\u{feff}"];

    pub(crate) const DURATIONS: &[&str] =
        &["ms", "s", "m", "min", "h", "d", " ", "1", "0", "-", ".", "99999999999999999999", "hours"];

    pub(crate) const CLOSING: &[&str] = &[
        "fixes ",
        "closes: ",
        "resolved ",
        "#1",
        "#0",
        "a/b#2",
        "https://x/a/b/issues/3",
        "`",
        "\n```\n",
        "\n~~~\n",
        "(",
        ")",
        ".",
        "\n",
    ];

    pub(crate) const ISSUE_REFS: &[&str] =
        &["#", "/", "https://", "http://", "issues/", "pull/", "1", "0", "-", ".", "..", "?", "a", ".git"];

    pub(crate) const CLAUDE: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        "\"",
        ",",
        ":",
        "null",
        "true",
        "false",
        "-1",
        "1e999",
        "\\u0000",
        "\\ud800",
        "\n",
        "\"type\":\"result\"",
        "\"type\":\"assistant\"",
        "\"is_error\":true",
        "\"parent_tool_use_id\":\"t\"",
        "\"subtype\":\"init\"",
        "\"terminal_reason\":\"api_error\"",
        "18446744073709551616",
        "{\"type\":\"system\",\"subtype\":\"api_retry\"}\n",
    ];

    pub(crate) const CODEX: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        "\"",
        ",",
        ":",
        "null",
        "-1",
        "\n",
        "\"type\":\"turn.completed\"",
        "\"type\":\"turn.failed\"",
        "\"type\":\"item.completed\"",
        "\"item\":{}",
        "{\"type\":\"turn.started\"}\n",
    ];

    pub(crate) const GEMINI: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        "\"",
        ",",
        ":",
        "null",
        "-1",
        "\n",
        "\"delta\":true",
        "\"status\":\"error\"",
        "\"role\":\"assistant\"",
        "{\"type\":\"result\"}\n",
        "{\"type\":\"tool_use\"}\n",
    ];

    pub(crate) const PLAIN: &[&str] = &["\n", "\r", "BATON_STAGE_COMPLETE", "{"];
}

//! From orders to commands, program by program.

use std::path::PathBuf;

use super::*;
use crate::agent::order::Told;
use crate::config::{AgentConfig, Layers, TextFile, resolve};
use crate::pipeline::stage::{Effort, KillGrace};
use crate::slot::{ItemKey, RunId};

fn agent(settings: &str) -> AgentConfig {
    let text = format!("agents: {{a: {{{settings}}}}}\n");
    let file = Some(TextFile { path: "baton.yaml".to_owned(), text });
    resolve(&Layers { file, ..Layers::default() }).unwrap().config.agents["a"].clone()
}

/// An order for a stage that may change files, with words that must never be arguments.
fn order(settings: &str) -> AgentOrder {
    AgentOrder {
        agent: agent(settings),
        run: RunId(1),
        item: ItemKey::Issue("acme/app#7".parse().unwrap()),
        stage: Some("Implement".to_owned()),
        cwd: PathBuf::from("/w/acme-app/issue-7"),
        git_dir: Some(PathBuf::from("/m/app.git/worktrees/issue-7")),
        told: Told {
            prompt: "--issue-text; rm -rf /".to_owned(),
            variables: vec![("BATON_ISSUE_TITLE".to_owned(), "--issue-text".to_owned())],
            ..Told::default()
        },
        session: None,
        model: None,
        effort: None,
        disable_adaptive_thinking: false,
        allowed_tools: None,
        max_turns: None,
        is_read_only: false,
        is_unrestricted: false,
        max_wall_time: None,
        kill_grace: KillGrace::default(),
    }
}

fn made(order: &AgentOrder) -> CommandLine {
    let places = Places { baton: PathBuf::from("/bin/baton"), directory: PathBuf::from("/conf") };
    command_line(order, &places)
}

/// The arguments without the tools, which have tables of their own.
fn shown_without_tools(order: &AgentOrder) -> String {
    let argv = made(order).argv;
    let tools = argv.iter().position(|argument| argument == "--disallowedTools").unwrap_or(argv.len());
    argv[..tools].join(" ")
}

fn values(order: &AgentOrder, option: &str) -> Vec<String> {
    let argv = made(order).argv;
    argv.windows(2).filter(|pair| pair[0] == option).map(|pair| pair[1].clone()).collect()
}

const SESSION: &str = "11111111-1111-4111-8111-111111111111";

#[test]
fn an_order_for_claude_becomes_its_arguments() {
    let plain = order("adapter: claude");
    let dont_ask = "claude -p --output-format stream-json --verbose --permission-mode dontAsk";
    assert_eq!(shown_without_tools(&plain), dont_ask);
    let full = AgentOrder {
        session: Some(SESSION.to_owned()),
        model: Some("sonnet".to_owned()),
        max_turns: Some(50),
        is_unrestricted: true,
        ..order(
            "adapter: claude, command: [npx, claude], args: ['--add-dir', /x], plugin_dir: p, max_turns: 9",
        )
    };
    assert_eq!(
        shown_without_tools(&full),
        format!(
            "npx claude -p --output-format stream-json --verbose --dangerously-skip-permissions --plugin-dir /conf/p --resume {SESSION} --model sonnet --max-turns 50 --add-dir /x"
        )
    );
    let own = AgentOrder {
        model: Some("sonnet".to_owned()),
        ..order("adapter: claude, model: opus, max_turns: 9")
    };
    assert_eq!(shown_without_tools(&own), format!("{dont_ask} --model opus --max-turns 9"));
}

#[test]
fn an_order_for_codex_becomes_its_arguments() {
    let writable = "--sandbox workspace-write --add-dir /m/app.git/worktrees/issue-7 --add-dir /m/app.git/objects --add-dir /m/app.git/refs --add-dir /m/app.git/logs";
    let plain = order("adapter: codex");
    assert_eq!(shown_without_tools(&plain), format!("codex exec --json {writable} -"));
    let resumed = AgentOrder {
        session: Some(SESSION.to_owned()),
        effort: Some(Effort::Max),
        is_read_only: true,
        is_unrestricted: true,
        ..order("adapter: codex, model: gpt-5, args: ['-c', x=1]")
    };
    assert_eq!(
        shown_without_tools(&resumed),
        format!(
            "codex exec --json --sandbox read-only -m gpt-5 -c model_reasoning_effort=\"high\" -c x=1 resume {SESSION} -"
        )
    );
    let free = AgentOrder { is_unrestricted: true, git_dir: None, ..order("adapter: codex") };
    assert_eq!(
        shown_without_tools(&free),
        "codex exec --json --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check -"
    );
}

#[test]
fn an_order_for_gemini_becomes_its_arguments() {
    let begin = "gemini --output-format stream-json --skip-trust --approval-mode";
    let rows = [
        (false, false, "auto_edit --allowed-tools run_shell_command(git)"),
        (false, true, "yolo --allowed-tools run_shell_command(git)"),
        (true, false, "plan"),
        (true, true, "plan"),
    ];
    for (is_read_only, is_unrestricted, expected) in rows {
        let order = AgentOrder {
            is_read_only,
            is_unrestricted,
            allowed_tools: Some(vec!["Read".to_owned()]),
            ..order("adapter: gemini, allowed_tools: [run_shell_command(git)]")
        };
        assert_eq!(shown_without_tools(&order), format!("{begin} {expected}"));
    }
    let resumed = AgentOrder { session: Some(SESSION.to_owned()), ..order("adapter: gemini, model: pro") };
    assert_eq!(shown_without_tools(&resumed), format!("{begin} auto_edit -m pro --resume {SESSION}"));
}

#[test]
fn an_order_for_any_program_is_its_command_and_nothing_else() {
    let order = AgentOrder {
        session: Some(SESSION.to_owned()),
        max_turns: Some(3),
        ..order("adapter: command, command: [x, '', -y]")
    };
    assert_eq!(made(&order).argv, ["x", "", "-y"]);
    let relative = super::tests::order("adapter: command, command: [./agents/x.sh]");
    assert_eq!(made(&relative).argv, ["/conf/./agents/x.sh"]);
    let absolute = super::tests::order("adapter: command, command: [/usr/bin/x]");
    assert_eq!(made(&absolute).argv, ["/usr/bin/x"]);
}

#[test]
fn an_order_for_a_script_runs_this_program() {
    let order = AgentOrder {
        session: Some(SESSION.to_owned()),
        max_turns: Some(3),
        ..order("adapter: script, script: s/demo.yaml")
    };
    assert_eq!(
        shown_without_tools(&order),
        format!("/bin/baton __script --file /conf/s/demo.yaml --resume {SESSION} --max-turns 3")
    );
    assert!(made(&order).variables.is_empty());
}

#[test]
fn claude_writes_within_its_work_tree_alone() {
    let tools = values(&order("adapter: claude"), "--allowedTools");
    assert!(tools.contains(&"Edit(//w/acme-app/issue-7/**)".to_owned()), "{tools:?}");
    assert!(tools.contains(&"Write(//w/acme-app/issue-7/**)".to_owned()), "{tools:?}");
    assert!(tools.contains(&"Bash(git:*)".to_owned()) && tools.contains(&"Read".to_owned()), "{tools:?}");
    assert!(!tools.iter().any(|tool| tool == "Edit" || tool == "Write"), "{tools:?}");
}

#[test]
fn claude_writes_nothing_where_files_stay_as_they_are() {
    let usual = AgentOrder { is_read_only: true, ..order("adapter: claude") };
    let own = AgentOrder {
        allowed_tools: Some(
            ["Read", "Edit", "Write(x)", "NotebookEdit", "Bash(ls:*)"].map(str::to_owned).to_vec(),
        ),
        ..usual.clone()
    };
    for order in [&usual, &own] {
        let tools = values(order, "--allowedTools");
        assert!(!tools.iter().any(|tool| tool.starts_with("Edit") || tool.starts_with("Write")), "{tools:?}");
        let denied = values(order, "--disallowedTools");
        assert!(denied.contains(&"Edit".to_owned()) && denied.contains(&"Write".to_owned()), "{denied:?}");
    }
    assert_eq!(values(&own, "--allowedTools"), ["Read", "Bash(ls:*)"]);
    let free = AgentOrder { is_unrestricted: true, ..usual };
    assert!(values(&free, "--disallowedTools").contains(&"Edit".to_owned()));
}

#[test]
fn the_tools_of_a_stage_come_before_those_of_an_agent() {
    let of_agent = order("adapter: claude, allowed_tools: [Read, 'Edit(src/**)']");
    assert_eq!(values(&of_agent, "--allowedTools"), ["Read", "Edit(src/**)"]);
    let of_stage = AgentOrder { allowed_tools: Some(vec!["Grep".to_owned()]), ..of_agent };
    assert_eq!(values(&of_stage, "--allowedTools"), ["Grep"]);
}

#[test]
fn no_agent_gets_tools_that_wait_or_schedule() {
    for is_unrestricted in [false, true] {
        let order = AgentOrder { is_unrestricted, ..order("adapter: claude") };
        assert_eq!(
            values(&order, "--disallowedTools"),
            ["ScheduleWakeup", "Workflow", "Monitor", "CronCreate"]
        );
    }
}

#[test]
fn claude_is_set_by_variables_too() {
    let variables = |order: &AgentOrder| {
        made(order).variables.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>()
    };
    assert!(variables(&order("adapter: claude")).is_empty());
    let set = AgentOrder {
        effort: Some(Effort::Low),
        disable_adaptive_thinking: true,
        ..order("adapter: claude, effort: max")
    };
    assert_eq!(variables(&set), ["CLAUDE_CODE_EFFORT_LEVEL=low", "CLAUDE_CODE_DISABLE_ADAPTIVE_THINKING=1"]);
    assert_eq!(variables(&order("adapter: claude, effort: max")), ["CLAUDE_CODE_EFFORT_LEVEL=max"]);
    let free = |settings| variables(&AgentOrder { is_unrestricted: true, ..order(settings) });
    assert_eq!(free("adapter: claude, sandbox: bubblewrap"), ["IS_SANDBOX=1"]);
    assert!(free("adapter: claude").is_empty(), "it is in no sandbox, so nobody says so");
}

#[test]
fn models_of_claude_are_not_asked_of_others() {
    for (model, expected) in
        [("sonnet", None), ("claude-opus-4-5", None), ("gpt-5", Some("gpt-5")), ("-m", None)]
    {
        let order = AgentOrder { model: Some(model.to_owned()), ..order("adapter: codex") };
        assert_eq!(values(&order, "-m").first().map(String::as_str), expected, "{model}");
    }
}

#[test]
fn nothing_that_an_issue_says_becomes_an_argument() {
    for adapter in ["claude", "codex", "gemini", "command, command: [x]", "script, script: s"] {
        let order = AgentOrder {
            session: Some("--issue-text".to_owned()),
            model: Some("--issue-text".to_owned()),
            allowed_tools: Some(vec!["--issue-text".to_owned()]),
            ..order(&format!("adapter: {adapter}"))
        };
        let line = made(&order);
        assert!(line.reads_prompt_on_stdin);
        assert!(!line.argv.iter().any(|argument| argument.contains("issue-text")), "{:?}", line.argv);
    }
}

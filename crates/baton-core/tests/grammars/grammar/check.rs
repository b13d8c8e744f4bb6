//! How each grammar is read, and what must hold whatever it was given.

pub(super) mod markers {
    use baton_core::labels::dialect::Dialect;
    use baton_core::pipeline::markers::{Marks, read as read_markers};

    fn all(text: &str) -> Marks {
        read_markers(text, Dialect::Baton)
    }

    pub(crate) fn read(text: &str) -> usize {
        let marks = all(text);
        marks.rest.len() + marks.mentions.len()
    }

    pub(crate) fn check(text: &str) {
        let marks = all(text);
        let lines = text.lines().count();
        assert!(marks.mentions.iter().all(|mention| (1..=lines).contains(&mention.line)), "{marks:?}");
        let kept =
            [&marks.summary, &marks.issue_update].into_iter().flatten().map(String::len).sum::<usize>();
        let issues = marks.sub_issues.iter().map(|issue| issue.title.len() + issue.body.len()).sum::<usize>();
        assert!(marks.rest.len() + kept + issues <= text.len(), "something was said twice: {marks:?}");
        assert!(marks.sub_issues.iter().all(|issue| !issue.title.is_empty()), "{marks:?}");
        let is_told = |marker: &str| marks.mentions.iter().any(|mention| mention.marker.ends_with(marker));
        for (marker, is_obeyed) in [("_STAGE_COMPLETE", marks.complete), ("_DECOMPOSED", marks.decomposed)] {
            let is_there = text.lines().any(|line| line.trim() == format!("BATON{marker}"));
            assert!(!is_there || is_obeyed || is_told(marker), "{marker} was lost: {marks:?}");
        }
        let fabrik = read_markers(&text.replace("BATON_", "FABRIK_"), Dialect::Fabrik);
        let is_same = fabrik.complete == marks.complete && fabrik.sub_issues.len() == marks.sub_issues.len();
        assert!(is_same || text.contains("FABRIK_"), "the dialects differ in more than the prefix");
    }
}

pub(super) mod claims {
    use baton_core::claim::text::{Form, Marker, read as read_claim};
    use baton_core::time::ServerTime;

    pub(crate) fn read(text: &str) -> usize {
        usize::from(read_claim(text).is_some())
    }

    pub(crate) fn check(text: &str) {
        let written = match read_claim(text) {
            Some(Marker::Claim(claim)) if claim.form != Form::LabelLock => claim.write(ServerTime(0)),
            Some(Marker::Release(release)) => release.write(ServerTime(0)),
            Some(Marker::Claim(_)) | None => return,
        };
        assert_eq!(read_claim(&written), read_claim(text), "it is read otherwise when it is written again");
    }
}

pub(super) mod config {
    use baton_core::config::{Layers, TextFile, resolve};

    fn layers(text: &str) -> Layers {
        let file = TextFile { path: "baton.yaml".to_owned(), text: text.to_owned() };
        Layers { file: Some(file), ..Layers::default() }
    }

    pub(crate) fn read(text: &str) -> usize {
        resolve(&layers(text)).map_or_else(|errors| errors.0.len(), |resolved| resolved.settings.len())
    }

    pub(crate) fn check(text: &str) {
        check_layers(&layers(text));
    }

    pub(super) fn check_layers(layers: &Layers) {
        match resolve(layers) {
            Ok(resolved) => assert!(!resolved.settings.is_empty()),
            Err(errors) => {
                assert!(!errors.0.is_empty());
                assert!(errors.0.iter().all(|error| !error.to_string().is_empty()));
            }
        }
    }
}

pub(super) mod fabrik {
    use baton_core::config::{Layers, TextFile, resolve};

    fn layers(text: &str) -> Layers {
        let file = TextFile { path: "baton.yaml".to_owned(), text: "dialect: fabrik\n".to_owned() };
        let fabrik = TextFile { path: ".fabrik/config.yaml".to_owned(), text: text.to_owned() };
        Layers { file: Some(file), fabrik: Some(fabrik), ..Layers::default() }
    }

    pub(crate) fn read(text: &str) -> usize {
        resolve(&layers(text)).map_or_else(|errors| errors.0.len(), |resolved| resolved.settings.len())
    }

    pub(crate) fn check(text: &str) {
        super::config::check_layers(&layers(text));
    }
}

pub(super) mod stages {
    use baton_core::config::stages::{StageSet, read_stages};
    use baton_core::config::{ConfigErrors, PipelineDialect, TextFile};

    fn all(text: &str) -> Result<StageSet, ConfigErrors> {
        let file = TextFile { path: "stages/a.yaml".to_owned(), text: text.to_owned() };
        read_stages(&[file], PipelineDialect::Fabrik)
    }

    pub(crate) fn read(text: &str) -> usize {
        all(text).map_or_else(|errors| errors.0.len(), |set| set.stages.len())
    }

    pub(crate) fn check(text: &str) {
        match all(text) {
            Ok(set) => assert!(set.stages.iter().all(|stage| set.stage(&stage.name).is_some())),
            Err(errors) => assert!(errors.0.iter().all(|error| !error.to_string().is_empty())),
        }
    }
}

pub(super) mod dotenv {
    use baton_core::config::dotenv::{find, parse};
    use baton_core::config::{Layers, TextFile, resolve};

    fn layers(text: &str) -> Layers {
        let dotenv = TextFile { path: ".env".to_owned(), text: text.to_owned() };
        Layers { dotenv: Some(dotenv), ..Layers::default() }
    }

    pub(crate) fn read(text: &str) -> usize {
        resolve(&layers(text)).map_or_else(|errors| errors.0.len(), |resolved| resolved.settings.len())
    }

    pub(crate) fn check(text: &str) {
        super::config::check_layers(&layers(text));
        let lines = text.lines().count();
        match parse(text) {
            Ok(variables) => {
                let is_whole = variables.iter().all(|variable| {
                    (1..=lines).contains(&variable.line) && find(&variables, &variable.name).is_some()
                });
                assert!(is_whole && variables.len() <= lines, "{variables:?}");
            }
            Err((line, problem)) => assert!((1..=lines).contains(&line) && !problem.is_empty()),
        }
    }
}

pub(super) mod durations {
    use baton_core::config::duration::{format_duration, parse_duration};

    pub(crate) fn read(text: &str) -> usize {
        parse_duration(text).map_or(0, |duration| duration.subsec_millis() as usize)
    }

    pub(crate) fn check(text: &str) {
        if let Some(duration) = parse_duration(text) {
            assert_eq!(parse_duration(&format_duration(duration)), Some(duration));
        }
    }
}

pub(super) mod closing {
    use baton_core::closing::{closing_references, mentioned_issues};

    pub(crate) fn read(text: &str) -> usize {
        closing_references(text).len() + mentioned_issues(text).len()
    }

    pub(crate) fn check(text: &str) {
        let (closing, mentioned) = (closing_references(text), mentioned_issues(text));
        // The list of mentions ends where it is long enough, and what closes may come later.
        let is_long = mentioned.len() >= 100;
        assert!(is_long || closing.iter().all(|reference| mentioned.contains(reference)), "{closing:?}");
    }
}

pub(super) mod issue_refs {
    use baton_core::IssueRef;

    pub(crate) fn read(text: &str) -> usize {
        usize::from(text.parse::<IssueRef>().is_ok())
    }

    pub(crate) fn check(text: &str) {
        if let Ok(reference) = text.parse::<IssueRef>() {
            assert_eq!(reference.to_string().parse(), Ok(reference));
        }
    }
}

/// One program's lines.
macro_rules! lines_of {
    ($module:ident, $program:ident) => {
        pub(super) mod $module {
            use baton_core::agent_lines::Program;

            pub(crate) fn read(text: &str) -> usize {
                super::report(Program::$program, text).assistant_text.len()
            }

            pub(crate) fn check(text: &str) {
                super::check_report(Program::$program, text);
            }
        }
    };
}

lines_of!(claude, Claude);
lines_of!(codex, Codex);
lines_of!(gemini, Gemini);
lines_of!(plain, Plain);

use baton_core::agent_lines::{LineEvent, Program, Reader, Report, TEXT_BYTES_MAX};

fn report(program: Program, text: &str) -> Report {
    let mut reader = Reader::new(program);
    text.lines().for_each(|line| drop(reader.line(line)));
    reader.finish()
}

fn check_report(program: Program, text: &str) {
    let mut reader = Reader::new(program);
    let events: Vec<LineEvent> = text.lines().flat_map(|line| reader.line(line)).collect();
    let report = reader.finish();
    let said = events.iter().filter(|event| matches!(event, LineEvent::Text(_))).count();
    assert!(report.assistant_text.len() <= TEXT_BYTES_MAX);
    assert_eq!(report.saw_result, events.contains(&LineEvent::Ended), "{report:?}");
    assert!(!report.is_success() || report.saw_result && report.error.is_none());
    assert!(report.broken_lines <= text.lines().count() as u64);
    assert!(said > 0 || report.assistant_text.trim().is_empty() || program == Program::Claude, "{report:?}");
}

//! From a template, an instruction and material to what an agent reads.

use std::io;

use minijinja::value::Value;

use super::block::LABEL;
use super::environment::{environment, explained};
use super::error::PromptError;
use super::material::Material;
use super::purpose::Purpose;
use super::templates::{Templates, check};
use super::view::view;
use crate::config::PipelineDialect;
use crate::config::stages::prompts::in_dialect;
use crate::pipeline::stage::Instruction;

/// The longest prompt, in bytes. No model reads more.
const PROMPT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Returns what an agent reads. What it is told is the stage's, or else what is built in for the purpose.
///
/// In Fabrik's dialect the prompt of a stage is taken as it stands, as it is there; in ours it is a template too.
pub fn render(
    templates: &Templates,
    material: &Material,
    instruction: Option<&Instruction>,
) -> Result<String, PromptError> {
    let purpose = Purpose::of(material);
    let mut variables = view(material, templates.dialect());
    let told = told(templates, material, instruction, &variables)?;
    variables.push(("teaches_marks", teaches_marks(&told, purpose, templates.dialect()).into()));
    variables.push(("instruction", told.into()));
    let prompt =
        filled(&templates.place(purpose), &templates.text(purpose), &variables, templates.dialect())?;
    Ok(without_gaps(&prompt))
}

/// Returns whether an instruction says itself how its run ends. Repairs and rebases have no word of completion.
fn teaches_marks(told: &str, purpose: Purpose, dialect: PipelineDialect) -> bool {
    let mark = match purpose {
        Purpose::CiFix | Purpose::Rebase => "BATON_BLOCKED_ON_INPUT",
        _ => "BATON_STAGE_COMPLETE",
    };
    told.contains(in_dialect(mark, dialect).as_ref())
}

/// Returns the words of the instruction.
fn told(
    templates: &Templates,
    material: &Material,
    instruction: Option<&Instruction>,
    variables: &[(&'static str, Value)],
) -> Result<String, PromptError> {
    let purpose = Purpose::of(material);
    match (instruction, purpose.instruction()) {
        (Some(Instruction::Skill(skill)), _) => Ok(directive(skill, material)),
        (Some(Instruction::Prompt(text)), _) => own_words(text, templates, material, variables),
        (None, Some(text)) => Ok(in_dialect(text, templates.dialect()).into_owned()),
        (None, None) => match &material.stage {
            Some(stage) => Err(PromptError::NoInstruction { purpose, stage: stage.name.clone() }),
            None => Ok(String::new()),
        },
    }
}

/// Returns what makes an agent follow a skill.
fn directive(skill: &str, material: &Material) -> String {
    let stage =
        material.stage.as_ref().map_or_else(String::new, |stage| format!(" of the stage {}", stage.name));
    format!("You are the agent{stage}. Follow the skill `{skill}` exactly.\n")
}

fn own_words(
    text: &str,
    templates: &Templates,
    material: &Material,
    variables: &[(&'static str, Value)],
) -> Result<String, PromptError> {
    if templates.dialect() == PipelineDialect::Fabrik {
        return Ok(text.to_owned());
    }
    let stage = material.stage.as_ref();
    let name = stage.map_or_else(String::new, |stage| format!(" of stage `{}`", stage.name));
    let file =
        stage.and_then(|stage| stage.file.as_ref()).map_or_else(String::new, |file| format!("{file}: "));
    let place = format!("{file}prompt{name}");
    check(&place, text, templates.dialect())?;
    filled(&place, text, variables, templates.dialect())
}

fn filled(
    place: &str,
    text: &str,
    variables: &[(&'static str, Value)],
    dialect: PipelineDialect,
) -> Result<String, PromptError> {
    let environment = environment(dialect);
    let explain = |error: &minijinja::Error| explained(error, place, text);
    let template = environment.template_from_named_str(place, text).map_err(|error| explain(&error))?;
    let context = Value::from_pairs(variables.iter().map(|(name, value)| (*name, value.clone())));
    let mut sheet = Sheet::default();
    let written =
        template.render_captured_to(context, &mut sheet).map(|_| ()).map_err(|error| explain(&error));
    if sheet.is_full {
        return Err(PromptError::TooLong { place: place.to_owned(), bytes_max: PROMPT_BYTES_MAX });
    }
    written?;
    Ok(String::from_utf8_lossy(&sheet.bytes).into_owned())
}

/// What a prompt is written on. It has an end.
#[derive(Debug, Default)]
struct Sheet {
    bytes: Vec<u8>,
    is_full: bool,
}

impl io::Write for Sheet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_full |= self.bytes.len() + bytes.len() > PROMPT_BYTES_MAX;
        if self.is_full {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the text with at most one empty line in a row outside of blocks; what templates leave out leaves gaps.
fn without_gaps(prompt: &str) -> String {
    let mut kept = String::with_capacity(prompt.len());
    let mut fence: Option<&str> = None;
    let mut was_empty = true;
    for line in prompt.lines() {
        let run = &line[..line.len() - line.trim_start_matches('`').len()];
        let is_gap = fence.is_none() && line.trim().is_empty();
        fence = match fence {
            None if line[run.len()..].starts_with(LABEL) && !run.is_empty() => Some(run),
            Some(open) if run.len() >= open.len() && line.len() == run.len() => None,
            other => other,
        };
        if !(is_gap && was_empty) {
            kept.extend([line, "\n"]);
        }
        was_empty = is_gap;
    }
    kept.truncate(kept.trim_end_matches('\n').len());
    kept + "\n"
}

//! The strings of a script: plain text, or a template under a budget.
use crate::{
    filters,
    script::{FAILED, invalid},
};
use contracts::llm::Failure;
use minijinja::{
    AutoEscape, Environment, Error as Mistake, ErrorKind, UndefinedBehavior, Value, syntax::SyntaxConfig,
};
use plugin_sdk::{Result, contracts};

/// What all templates of one request may use up together: a unit pays for one instruction, or for 64 bytes made.
pub(crate) const FUEL: u64 = 1_000_000;

/// A string of a script and its place there, such as `replies[2].text`.
#[derive(Debug)]
pub(crate) struct Text {
    place: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Plain(String),
    Template(Box<Environment<'static>>),
}

/// The environment that every template starts from; its parts are shared.
pub(crate) fn environment() -> Environment<'static> {
    let mut env = Environment::new();
    env.set_undefined_behavior(UndefinedBehavior::Strict);
    env.set_auto_escape_callback(|_| AutoEscape::None);
    // Without it an error does not name what is undefined.
    env.set_debug(true);
    let mut syntax = SyntaxConfig::builder();
    // It fails for delimiters only, and those are the usual ones.
    if let Ok(syntax) = syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build() {
        env.set_syntax(syntax);
    }
    filters::add_to(&mut env);
    env
}

impl Text {
    /// Compiles a string.
    ///
    /// # Errors
    /// `SCRIPT_INVALID` when it is no template.
    pub(crate) fn new(base: &Environment<'static>, place: String, source: &str) -> Result<Self> {
        let is_template = ["{{", "{%", "{#"].iter().any(|mark| source.contains(mark));
        let kind = if is_template {
            let mut env = Box::new(base.clone());
            let added = env.add_template_owned(place.clone(), source.to_owned());
            added.map_err(|e| {
                invalid(said(&place, &e), "correct the template; `{% raw %}` keeps braces as they are")
            })?;
            Kind::Template(env)
        } else {
            Kind::Plain(source.to_owned())
        };
        Ok(Text { place, kind })
    }

    /// The text in a context; what it uses up is taken from `fuel`.
    ///
    /// # Errors
    /// `SCRIPT_FAILED` naming the place.
    pub(crate) fn render(&self, context: &Value, fuel: &mut u64) -> Result<String, Failure> {
        let env = match &self.kind {
            Kind::Plain(text) => return Ok(text.clone()),
            Kind::Template(env) => env,
        };
        let mut env = env.clone();
        env.set_fuel(Some(*fuel));
        let rendered = env.get_template(&self.place).and_then(|template| {
            let done = template.render_captured(context.clone())?;
            *fuel = done.state().fuel_levels().map_or(*fuel, |(_, left)| left);
            Ok(done.into_output())
        });
        rendered.map_err(|mistake| Failure {
            hint: format!("correct {} in the script", self.place),
            ..Failure::new(FAILED, said(&self.place, &mistake))
        })
    }

    /// Whether the text says yes: anything but blanks and what a false or empty value prints.
    ///
    /// # Errors
    /// As [`Text::render`].
    pub(crate) fn is_true(&self, context: &Value, fuel: &mut u64) -> Result<bool, Failure> {
        let text = self.render(context, fuel)?;
        Ok(!["", "false", "none", "0", "0.0", "[]", "{}"].contains(&text.trim().to_lowercase().as_str()))
    }
}

/// The mistake on one line, its place first.
fn said(place: &str, mistake: &Mistake) -> String {
    let line =
        mistake.line().filter(|line| *line > 1).map(|line| format!(", line {line}")).unwrap_or_default();
    if mistake.kind() == ErrorKind::OutOfFuel {
        return format!("script: {place}{line}: the templates of one request do more work than they may");
    }
    let detail = mistake.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
    format!("script: {place}{line}: {}{detail}", mistake.kind())
}

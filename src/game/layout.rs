//! The layout of a game's reports.

use std::sync::OnceLock;

use super::RulesFiles;
use crate::core::template::{Sheet, Template, TemplateError};

/// The rules file that lays out reports.
const REPORT: &str = "templates/report.txt.j2";

/// The template of a game's reports, compiled when the first is written and kept for all
/// phases that are resolved again.
#[derive(Debug, Default)]
pub struct Layout(OnceLock<Result<Template, TemplateError>>);

impl Layout {
    /// A sheet for the reports of one phase.
    ///
    /// # Errors
    /// A template that cannot be compiled.
    pub fn sheet(&self, files: &RulesFiles) -> Result<Sheet<'_>, TemplateError> {
        let source = files.get(REPORT).map_or("", |text| &**text);
        let kept = self.0.get_or_init(|| Template::new(REPORT, source));
        kept.as_ref().map(Template::sheet).map_err(Clone::clone)
    }
}

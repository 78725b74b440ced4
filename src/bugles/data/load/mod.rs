//! Reads and validates the rules files; every fault of every file at once.

mod field;

use std::collections::BTreeMap;

use crate::core::diag::Diagnostic;
use crate::game::reading::Reading;
use crate::game::{RulesFault, RulesFiles};
use crate::geometry::plane::{Compass, Size};

use super::super::rulings::Rulings;
use super::files::{GeometryFile, ScenarioFile, SettingsFile, TerrainFile, TroopsFile, ValuesFile};
use super::{Arm, Cadence, Data, Troop, TroopData};

pub(super) struct Loader<'a> {
    files: &'a RulesFiles,
    faults: Vec<RulesFault>,
}

impl Reading for Loader<'_> {
    fn files(&self) -> &RulesFiles {
        self.files
    }

    fn faults(&mut self) -> &mut Vec<RulesFault> {
        &mut self.faults
    }
}

impl<'a> Loader<'a> {
    pub(super) fn new(files: &'a RulesFiles) -> Self {
        Self { files, faults: Vec::new() }
    }

    pub(super) fn load(mut self) -> Result<Data, Vec<RulesFault>> {
        let settings: Option<SettingsFile> = self.read("settings.toml");
        let geometry: Option<GeometryFile> = self.read("geometry.toml");
        let troops: Option<TroopsFile> = self.read("units.toml");
        let values: Option<ValuesFile> = self.read("values.toml");
        let terrain: Option<TerrainFile> = self.read("terrain.toml");
        let chosen = settings.as_ref().map(|s| s.rulings.clone()).unwrap_or_default();
        let text = self.files.get("rulings.toml").cloned().unwrap_or_default();
        let rulings = match Rulings::load(&text, &chosen) {
            Ok(rulings) => Some(rulings),
            Err(faults) => {
                for fault in faults {
                    self.say("rulings.toml", fault);
                }
                None
            }
        };
        let path = settings.as_ref().map(|s| format!("scenarios/{}.toml", s.scenario));
        let file: Option<ScenarioFile> = path.as_ref().and_then(|p| self.read(p));
        let cadence = settings.as_ref().and_then(|s| match s.cadence.as_str() {
            "brisk" => Some(Cadence::Brisk),
            "strict" => Some(Cadence::Strict),
            "single" => Some(Cadence::Single),
            other => {
                let fault = format!("`{other}` is no cadence: brisk, strict, single");
                self.wrong("settings.toml", fault);
                None
            }
        });
        let (
            Some(settings),
            Some(geometry),
            Some(troops),
            Some(values),
            Some(terrain),
            Some(rulings),
            Some(file),
            Some(cadence),
            Some(path),
        ) = (settings, geometry, troops, values, terrain, rulings, file, cadence, path)
        else {
            return Err(self.faults);
        };
        for option in &settings.options {
            if !file.options.contains(option) {
                let fault =
                    Diagnostic::error(None, format!("`{option}` is no option of this scenario"));
                let known: Vec<&str> = file.options.iter().map(String::as_str).collect();
                self.say(
                    "settings.toml",
                    match &known[..] {
                        [] => fault.help("it has none"),
                        known => fault.help(format!("its options: {}", known.join(", "))),
                    },
                );
            }
        }
        let inch = geometry.per_inch;
        if inch != 100 {
            let fault = format!("`per_inch` = {inch}: places are written in hundredths");
            self.wrong("geometry.toml", fault);
        }
        let compass = match Compass::new(geometry.scale, geometry.sines.clone()) {
            Ok(compass) => Some(compass),
            Err(fault) => {
                self.wrong("geometry.toml", format!("`sines`: {fault}"));
                None
            }
        };
        let troops = self.troops(&troops, &values);
        self.values(&values);
        let scenario = self.scenario(&path, &settings.scenario, file, &terrain.class);
        let (Some(compass), true) = (compass, self.faults.is_empty()) else {
            return Err(self.faults);
        };
        let emir_rifles =
            values.emir.rifles.iter().filter_map(|(k, n)| Some((k.parse().ok()?, *n))).collect();
        Ok(Data {
            compass,
            inch,
            slack: geometry.slack,
            touch: geometry.touch,
            troops,
            values: values.rows,
            bands: values.bands,
            modifiers: values.modifiers,
            average: values.average.faces,
            distances: values.distances,
            obey: values.obey,
            emir_cavalry: values.emir.cavalry,
            emir_rifles,
            classes: terrain.class,
            scenario,
            rulings,
            cadence,
            cover_markers: settings.options.iter().any(|o| o == "cover-markers"),
            storm: settings.options.iter().any(|o| o == "storm"),
            options: settings.options,
            files: self.files.clone(),
        })
    }

    fn troops(&mut self, file: &TroopsFile, values: &ValuesFile) -> BTreeMap<Troop, TroopData> {
        let mut out = BTreeMap::new();
        for line in &file.troop {
            let id = line.id.id();
            for row in [Some(&line.values), line.dismounted.as_ref()].into_iter().flatten() {
                if !values.rows.contains_key(row) {
                    self.wrong("units.toml", format!("`{row}` is no row of values.toml"));
                }
            }
            let sound = line.size.iter().all(|n| (20..=400).contains(n) && n % 2 == 0)
                && (0..=2000).contains(&line.line)
                && (0..=2000).contains(&line.column)
                && line.march.is_none_or(|n| (0..=2000).contains(&n));
            if !sound {
                self.wrong("units.toml", format!("`{id}`: a size or a rate is out of bounds"));
            }
            if line.dismounted.is_some()
                != (line.id.arm() == Arm::Cavalry && id != "mahdist-cavalry")
            {
                let fault = format!("`{id}`: regular cavalry, and only they, may dismount");
                self.wrong("units.toml", fault);
            }
            let data = TroopData {
                name: line.name.clone(),
                figures: line.figures,
                size: Size { front: line.size[0], depth: line.size[1] },
                line: line.line,
                column: line.column,
                march: line.march,
                values: line.values.clone(),
                dismounted: line.dismounted.clone(),
            };
            if out.insert(line.id, data).is_some() {
                self.wrong("units.toml", format!("`{id}` stands twice"));
            }
        }
        for troop in Troop::ALL {
            if !out.contains_key(&troop) {
                self.wrong("units.toml", format!("the troops `{}` are missing", troop.id()));
            }
        }
        out
    }

    fn values(&mut self, file: &ValuesFile) {
        let path = "values.toml";
        if !file.bands.windows(2).all(|w| w[0] < w[1]) || file.bands[0] <= 0 {
            self.wrong(path, "the `bands` do not rise");
        }
        for (name, row) in &file.rows {
            if !(1..=20).contains(&row.combat) || row.fire.iter().any(|n| !(0..=20).contains(n)) {
                self.wrong(path, format!("`{name}`: a value is not between 0 and 20"));
            }
        }
        if !file.rows.contains_key("mahdist-rifles") {
            self.wrong(path, "the row `mahdist-rifles` is missing");
        }
        if file.average.faces.iter().any(|n| !(1..=9).contains(n)) {
            self.wrong(path, "the `faces` of the average die are not between 1 and 9");
        }
        if file.emir.rifles.keys().any(|k| k.parse::<u32>().is_err()) {
            self.wrong(path, "the `rifles` of an emir want a face of a die each");
        }
    }
}

//! Deadlines: days, weekdays and an hour in a time zone, made into a moment; and how a
//! moment is told to people.

use chrono::{
    DateTime, Datelike as _, Days, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike as _,
};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone, TimeZoneDatabase};

use super::fault::Fault;
use super::settings::Deadline;
use super::words::moment;
use crate::core::time::Stamp;

/// A deadline's rules, understood.
#[derive(Clone, Debug)]
pub struct Timetable {
    days: u32,
    weekdays: Vec<chrono::Weekday>,
    time: Option<NaiveTime>,
    zone: TimeZone,
    off: Vec<NaiveDate>,
}

const WEEK: [(&str, chrono::Weekday); 7] = [
    ("mon", chrono::Weekday::Mon),
    ("tue", chrono::Weekday::Tue),
    ("wed", chrono::Weekday::Wed),
    ("thu", chrono::Weekday::Thu),
    ("fri", chrono::Weekday::Fri),
    ("sat", chrono::Weekday::Sat),
    ("sun", chrono::Weekday::Sun),
];

/// What clocks at Greenwich show at a moment.
fn utc(stamp: Stamp) -> NaiveDateTime {
    DateTime::from_timestamp(stamp.unix(), 0).unwrap_or_default().naive_utc()
}

impl Timetable {
    /// Reads the settings.
    ///
    /// # Errors
    /// A weekday, hour, zone or date that is none.
    pub fn new(deadline: &Deadline) -> Result<Self, Fault> {
        let fault = |what: &str, word: &str, help: &str| {
            Fault::input(format!("game.toml: [deadline] {what} = `{word}` is none"), help)
        };
        let mut weekdays = Vec::new();
        for word in &deadline.weekdays {
            let day = WEEK.iter().find(|(name, _)| *name == word.to_lowercase());
            let day =
                day.ok_or_else(|| fault("weekdays", word, "write mon tue wed thu fri sat sun"))?;
            weekdays.push(day.1);
        }
        let time = deadline
            .time
            .as_ref()
            .map(|word| {
                NaiveTime::parse_from_str(word, "%H:%M")
                    .map_err(|_| fault("time", word, "write an hour such as \"20:00\""))
            })
            .transpose()?;
        let zone = match &deadline.zone {
            None => TimeZone::UTC,
            Some(word) => TimeZoneDatabase::bundled().get(word).map_err(|_| {
                fault("zone", word, "write a zone such as \"Europe/Berlin\" or \"UTC\"")
            })?,
        };
        let mut off = Vec::new();
        for word in &deadline.days_off {
            off.push(
                NaiveDate::parse_from_str(word, "%Y-%m-%d")
                    .map_err(|_| fault("days_off", word, "write dates such as \"2027-12-24\""))?,
            );
        }
        if deadline.days == 0 {
            return Err(fault("days", "0", "give the players a day at least"));
        }
        Ok(Self { days: deadline.days, weekdays, time, zone, off })
    }

    /// The deadline of a call made now: at least `days` later, then at the next hour
    /// that fits, on a day that does.
    ///
    /// # Errors
    /// No day of the next two years fits.
    pub fn next(&self, now: Stamp) -> Result<Stamp, Fault> {
        self.not_before(now.plus(i64::from(self.days) * 86_400))
    }

    /// The first moment that fits, not before another.
    ///
    /// # Errors
    /// No day of the next two years fits.
    pub fn not_before(&self, earliest: Stamp) -> Result<Stamp, Fault> {
        // Without an hour of its own: the next full one.
        let rounded = earliest.plus((-earliest.unix()).rem_euclid(3_600));
        let start = self.local(rounded);
        let time = self.time.unwrap_or_else(|| start.time());
        let mut day = self.local(earliest).date();
        for _ in 0..740 {
            let fits = self.weekdays.is_empty() || self.weekdays.contains(&day.weekday());
            if fits && !self.off.contains(&day) {
                let at = self.moment_of(day, time);
                if let Some(at) = at.filter(|at| *at >= earliest) {
                    return Ok(at);
                }
            }
            let Some(next) = day.checked_add_days(Days::new(1)) else { break };
            day = next;
        }
        Err(Fault::refused(
            "no day fits the deadlines of game.toml",
            "look at weekdays and days_off there, or name a --deadline",
        ))
    }

    /// An hour of a day: of two that clocks show twice the later, for one that they
    /// skip the first minute after it.
    fn moment_of(&self, day: NaiveDate, time: NaiveTime) -> Option<Stamp> {
        let mut local = day.and_time(time);
        for _ in 0..=1_440 {
            if let Some(offset) = self.latest(local) {
                return Stamp::from_unix(local.and_utc().timestamp() - i64::from(offset.seconds()));
            }
            local = local.checked_add_signed(TimeDelta::minutes(1))?;
        }
        None
    }

    /// How far the clocks of the zone are ahead of UTC when they show a moment; the
    /// later of two such moments, none when they skip it.
    fn latest(&self, local: NaiveDateTime) -> Option<Offset> {
        let civil = jiff::civil::DateTime::new(
            local.year().try_into().ok()?,
            local.month().try_into().ok()?,
            local.day().try_into().ok()?,
            local.hour().try_into().ok()?,
            local.minute().try_into().ok()?,
            local.second().try_into().ok()?,
            0,
        );
        match self.zone.to_ambiguous_timestamp(civil.ok()?).offset() {
            AmbiguousOffset::Unambiguous { offset } => Some(offset),
            AmbiguousOffset::Fold { after, .. } => Some(after),
            AmbiguousOffset::Gap { .. } => None,
        }
    }

    /// What the clocks of the zone show at a moment.
    fn local(&self, stamp: Stamp) -> NaiveDateTime {
        let ahead = jiff::Timestamp::from_second(stamp.unix())
            .map_or(0, |at| self.zone.to_offset(at).seconds());
        utc(stamp.plus(i64::from(ahead)))
    }

    /// A moment in UTC, in the game's zone, and as hours from now.
    pub fn tell(&self, stamp: Stamp, now: Stamp) -> String {
        let mut text = moment(stamp);
        if let Some(zone) = self.zone.iana_name().filter(|_| self.zone != TimeZone::UTC) {
            let local = self.local(stamp);
            let same = local.date() == utc(stamp).date();
            let day = if same { "%H:%M" } else { "%a %Y-%m-%d %H:%M" };
            text = format!("{text} ({} {zone})", local.format(day));
        }
        let seconds = stamp.since(now);
        let hours = (seconds.abs() + 1_800) / 3_600;
        match (seconds, hours) {
            (_, 0) => text + ", now",
            (s, 1) if s > 0 => text + ", in an hour",
            (s, h) if s > 0 => format!("{text}, in {h} hours"),
            (_, 1) => text + ", an hour ago",
            (_, h) => format!("{text}, {h} hours ago"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(time: Option<&str>, zone: &str, weekdays: &[&str], off: &[&str]) -> Timetable {
        let words = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect();
        Timetable::new(&Deadline {
            time: time.map(ToOwned::to_owned),
            zone: Some(zone.to_owned()),
            weekdays: words(weekdays),
            days_off: words(off),
            ..Deadline::in_days(1)
        })
        .unwrap()
    }

    fn next(table: &Timetable, now: &str) -> String {
        table.next(Stamp::new(now).unwrap()).unwrap().to_string()
    }

    #[test]
    fn a_local_hour_is_another_moment_in_summer() {
        let berlin = table(Some("20:00"), "Europe/Berlin", &["sun"], &[]);
        assert_eq!(next(&berlin, "2027-03-19T12:00:00Z"), "2027-03-21T19:00:00Z");
        // Summer time begins on the night to 28 March.
        assert_eq!(next(&berlin, "2027-03-26T12:00:00Z"), "2027-03-28T18:00:00Z");
        assert_eq!(next(&berlin, "2027-10-29T12:00:00Z"), "2027-10-31T19:00:00Z");
        // A day at least: on Saturday evening it is too late for this Sunday.
        assert_eq!(next(&berlin, "2027-03-20T19:00:01Z"), "2027-03-28T18:00:00Z");
    }

    #[test]
    fn skipped_and_doubled_hours_are_given_to_the_players() {
        let berlin = table(Some("02:30"), "Europe/Berlin", &[], &[]);
        // 28 March 2027 has no 02:30: three o'clock summer time.
        assert_eq!(next(&berlin, "2027-03-27T00:00:00Z"), "2027-03-28T01:00:00Z");
        // 31 October has two: the second, in winter time.
        assert_eq!(next(&berlin, "2027-10-30T00:00:00Z"), "2027-10-31T01:30:00Z");
        let york = table(Some("01:30"), "America/New_York", &[], &[]);
        assert_eq!(next(&york, "2027-11-06T00:00:00Z"), "2027-11-07T06:30:00Z");
        let lord = table(Some("02:15"), "Australia/Lord_Howe", &[], &[]);
        // Half an hour only: 3 October 2027 has no 02:15 there.
        assert_eq!(next(&lord, "2027-10-01T15:00:00Z"), "2027-10-02T15:30:00Z");
    }

    #[test]
    fn days_off_are_left_out_and_days_alone_are_as_ever() {
        let off = ["2027-12-24", "2027-12-25", "2027-12-26"];
        let club = table(Some("20:00"), "UTC", &[], &off);
        assert_eq!(next(&club, "2027-12-23T06:00:00Z"), "2027-12-27T20:00:00Z");
        assert_eq!(
            next(&table(None, "UTC", &[], &[]), "2027-01-04T18:20:00Z"),
            "2027-01-05T19:00:00Z"
        );
        let all = table(Some("20:00"), "UTC", &["sun"], &[]);
        assert!(
            all.tell(
                Stamp::new("2027-01-10T20:00:00Z").unwrap(),
                Stamp::new("2027-01-08T20:00:00Z").unwrap()
            )
            .ends_with("in 48 hours")
        );
    }

    #[test]
    fn a_moment_is_told_in_both_clocks() {
        let tokyo = table(None, "Asia/Tokyo", &[], &[]);
        let at = Stamp::new("2027-01-18T19:00:00Z").unwrap();
        assert_eq!(
            tokyo.tell(at, at.plus(-7_200)),
            "Mon 2027-01-18 19:00 UTC (Tue 2027-01-19 04:00 Asia/Tokyo), in 2 hours"
        );
        let bad = Deadline { zone: Some("Europe/Berln".into()), ..Deadline::in_days(1) };
        assert!(Timetable::new(&bad).unwrap_err().to_string().contains("Europe/Berln"));
    }
}

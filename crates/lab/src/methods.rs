//! Descriptions of congestion controls and queue disciplines, for `airfair describe`.

use airfair_queue::discipline::DISCIPLINES;
use airfair_tcp::congestion::CONTROLS;

/// Returns names and descriptions: of every congestion control, under each of its names, and of every queue discipline.
pub fn methods() -> impl Iterator<Item = (&'static str, &'static str)> {
    let names = |control: &'static airfair_tcp::congestion::Description| {
        control.variants.iter().map(|variant| (variant.name, control.about))
    };
    let disciplines = DISCIPLINES.iter().map(|discipline| (discipline.name, discipline.about));
    CONTROLS.iter().flat_map(names).chain(disciplines)
}

#[cfg(test)]
mod tests {
    use super::methods;
    use std::collections::BTreeMap;

    #[test]
    fn each_name_has_one_text_of_whole_sentences() {
        let texts: BTreeMap<_, _> = methods().collect();
        assert_eq!(texts.len(), methods().count(), "a name twice");
        assert!(texts.values().all(|text| text.ends_with('.')), "{texts:?}");
    }
}

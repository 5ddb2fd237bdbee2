//! The list of laws, and which clouds each of them holds for.

use std::pin::Pin;

use reaper_provider::Capabilities;

use crate::rig::Rig;
use crate::{
    acting, alone, answers, errors, money, pages, reading, retagging, secrets, tags, time,
};

/// A law being tried.
pub(crate) type Trying = Pin<Box<dyn Future<Output = ()>>>;

/// A law as it is tried elsewhere than on a rig.
pub(crate) type OwnLaw = (&'static str, fn() -> Trying);

/// One law.
pub(crate) struct Law {
    /// Its name, with the number of the field case that it settles.
    pub(crate) name: &'static str,
    /// What a cloud must have for it to make sense.
    pub(crate) needs: Need,
    /// Tries it; panics where it does not hold.
    pub(crate) holds: fn(&'static dyn Rig) -> Trying,
}

/// What a cloud must have for a law to make sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Nothing.
    Nothing,
    /// A listing in pages.
    Pages,
    /// Tags on machines.
    Tags,
    /// No tags on machines.
    NoTags,
    /// Tags on machines, several of one key.
    EqualKeys,
    /// Locations that are listed one by one.
    Locations,
    /// A documented number of request starts per second.
    Rate,
    /// An answer to an action that says what was taken.
    Receipt,
    /// The provider's own protection of machines.
    Protection,
    /// Tags that can be changed.
    Tagging,
    /// No tags that could be changed.
    NoTagging,
}

impl Need {
    /// All that not every cloud has.
    pub(crate) const GATES: [Self; 10] = [
        Self::Pages,
        Self::Tags,
        Self::NoTags,
        Self::EqualKeys,
        Self::Locations,
        Self::Rate,
        Self::Receipt,
        Self::Protection,
        Self::Tagging,
        Self::NoTagging,
    ];

    /// Why a law with this need makes no sense at a cloud, if so.
    pub(crate) fn lacking(self, rig: &dyn Rig, able: Capabilities) -> Option<&'static str> {
        let (there, why) = match self {
            Self::Nothing => (true, ""),
            Self::Pages => (rig.paged().is_some(), "one answer lists all"),
            Self::Tags => (able.tags, "machines have no tags"),
            Self::NoTags => (!able.tags, "machines have tags"),
            Self::EqualKeys if !able.tags => (false, "machines have no tags"),
            Self::EqualKeys => (rig.repeats_keys(), "a key is there once"),
            Self::Locations => (able.scope_per_location, "one call covers all locations"),
            Self::Rate => (rig.rate().is_some(), "no rate is documented"),
            Self::Receipt => (rig.gives_receipt(), "the answer is void"),
            Self::Protection => (rig.protection().is_some(), "machines cannot be protected"),
            Self::Tagging => (rig.tagging().is_some(), "tags cannot be changed"),
            Self::NoTagging => (rig.tagging().is_none(), "tags can be changed"),
        };
        (!there).then_some(why)
    }
}

macro_rules! laws {
    ($($name:literal $needs:ident $law:path,)*) => {
        &[$(Law { name: $name, needs: Need::$needs, holds: |rig| Box::pin($law(rig)) },)*]
    };
}

/// Every law.
pub(crate) const LAWS: &[Law] = laws![
    "fl_013_listings_are_complete" Nothing pages::complete,
    "fl_014_an_empty_page_is_not_the_end" Pages pages::empty_page,
    "fl_014_a_listing_in_a_circle_ends_as_contradiction" Pages pages::circle,
    "a_failed_page_keeps_the_pages_before" Pages pages::failed_page,
    "a_failed_listing_is_no_empty_account" Nothing pages::failed_listing,
    "an_empty_account_is_whole" Nothing pages::empty_account,
    "dry_is_dry" Nothing reading::dry,
    "the_same_inventory_twice_is_equal" Nothing reading::same_twice,
    "identity_names_the_account" Nothing reading::identity,
    "capabilities_are_true" Nothing reading::capabilities,
    "fl_016_a_location_that_nobody_knows_is_covered" Locations reading::new_location,
    "fl_086_new_state_words_survive" Nothing answers::new_state,
    "fl_088_new_fields_change_nothing" Nothing answers::new_fields,
    "fl_087_a_missing_field_marks_its_machine_alone" Nothing answers::missing_field,
    "fl_088_null_lists_are_no_reason_to_fail" Nothing answers::null_lists,
    "fl_087_values_of_another_kind_mark_their_machine_alone" Nothing answers::wrong_kinds,
    "a_machine_without_id_makes_a_listing_partial" Nothing answers::without_id,
    "an_answer_of_another_shape_is_no_empty_account" Nothing answers::other_shape,
    "tags_come_through_letter_for_letter" Tags tags::unicode,
    "no_tags_are_known_to_be_none" Tags tags::none,
    "equal_keys_are_two_tags" EqualKeys tags::equal_keys,
    "fl_035_tags_that_no_machine_has_are_not_missing" NoTags tags::not_offered,
    "prices_are_in_the_providers_currency" Nothing money::known_type,
    "fl_022_an_unknown_type_is_listed_and_its_price_unknown" Nothing money::new_type,
    "a_missing_permission_is_named" Nothing errors::denied,
    "an_unknown_key_concerns_the_whole_account" Nothing errors::unknown_key,
    "fl_084_without_a_key_nothing_is_sent" Nothing errors::no_key,
    "errors_map_to_kinds" Nothing errors::kinds,
    "fl_056_nobody_there_is_said_with_the_address" Nothing errors::nobody_there,
    "a_silent_or_trickling_answer_costs_the_limit" Nothing time::silence,
    "a_silent_identity_costs_the_limit" Nothing time::silent_identity,
    "an_answer_cut_short_is_an_error" Nothing time::cut,
    "fl_068_requests_in_flight_are_bounded" Nothing time::in_flight,
    "fl_067_the_documented_rate_is_kept" Rate time::rate,
    "a_read_says_what_the_listing_says" Nothing alone::as_listed,
    "fresh_read_before_action" Nothing alone::nothing_remembered,
    "only_the_providers_word_ends_a_machine" Nothing alone::no_end_by_others,
    "fl_051_no_call_is_made_but_those_named" Nothing acting::only_named_calls,
    "fl_046_an_action_is_sent_once_whatever_comes_back" Nothing acting::sent_once,
    "a_page_is_no_refusal_of_an_action" Nothing acting::pages_are_no_refusals,
    "a_page_is_no_receipt_of_an_action" Receipt acting::pages_are_no_receipts,
    "an_action_that_met_nobody_was_not_sent" Nothing acting::nobody_there,
    "fl_041_fl_042_a_bill_has_ended_when_a_read_says_so" Nothing acting::ended_when_read,
    "fl_040_fl_045_who_comes_too_late_is_told_so" Nothing acting::too_late,
    "fl_047_a_missing_right_to_act_is_named" Nothing acting::denied,
    "fl_039_protection_is_told_and_never_lifted" Protection acting::protected,
    "fl_036_one_tag_changes_and_all_others_stay" Tagging retagging::one_tag,
    "a_tag_is_changed_once_whatever_comes_back" Tagging retagging::sent_once,
    "where_tags_cannot_be_changed_nothing_is_sent" NoTagging retagging::not_offered,
    "secrets_show_nowhere" Nothing secrets::nowhere,
    "a_secret_that_is_quoted_goes_no_further" Nothing secrets::quoted,
    "a_secret_that_is_quoted_to_an_action_goes_no_further" Nothing secrets::quoted_to_action,
];

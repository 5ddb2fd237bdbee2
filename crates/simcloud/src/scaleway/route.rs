//! Paths and parameters: what is asked for, where, and of which thing.

use http::Method;

use crate::wire::Request;

/// A path taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Route<'a> {
    /// Method and path with `{zone}`, `{region}` and `{id}` in their places.
    pub(crate) operation: String,
    /// The zone or region; empty where there is none.
    pub(crate) location: &'a str,
    /// The id of the thing; empty where there is none.
    pub(crate) id: &'a str,
}

impl<'a> Route<'a> {
    /// The route of a request.
    pub(crate) fn of(request: &'a Request) -> Self {
        Self::parse(&request.method, &request.path)
    }

    fn parse(method: &Method, path: &'a str) -> Self {
        let mut operation = method.to_string();
        operation.push(' ');
        let (mut location, mut id) = ("", "");
        let mut before = "";
        // The last part but one names a collection when what follows is an id.
        for part in path.split('/').skip(1) {
            operation.push('/');
            operation.push_str(match before {
                "zones" => {
                    location = part;
                    "{zone}"
                }
                "regions" => {
                    location = part;
                    "{region}"
                }
                "api-keys" | "users" | "applications" | "projects" | "servers"
                    if part != "availability" =>
                {
                    id = part;
                    "{id}"
                }
                _ => part,
            });
            before = part;
        }
        Self { operation, location, id }
    }
}

/// A parameter of the query.
pub(crate) fn query(request: &Request, name: &str) -> Option<String> {
    request.query_pairs().find_map(|(other, value)| (other == name).then_some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_ids_are_taken_out_of_the_path() {
        let route = Route::parse(&Method::POST, "/instance/v1/zones/fr-par-1/servers/abc/action");
        assert_eq!(route.operation, "POST /instance/v1/zones/{zone}/servers/{id}/action");
        assert_eq!((route.location, route.id), ("fr-par-1", "abc"));
        let route = Route::parse(&Method::GET, "/instance/v1/zones/pl-waw-2/products/servers");
        assert_eq!(route.operation, "GET /instance/v1/zones/{zone}/products/servers");
        let route = Route::parse(&Method::GET, "/iam/v1alpha1/api-keys/SCWX");
        assert_eq!(route.operation, "GET /iam/v1alpha1/api-keys/{id}");
        let route = Route::parse(&Method::GET, "/audit-trail/v1alpha1/regions/fr-par/events");
        assert_eq!((route.location, route.id), ("fr-par", ""));
    }
}

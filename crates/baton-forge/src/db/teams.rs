//! Teams of organisations.

#[derive(Debug, Clone)]
pub(crate) struct Team {
    pub(crate) id: i64,
    pub(crate) org_id: i64,
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

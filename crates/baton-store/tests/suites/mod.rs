//! Both databases keep what the memory store specifies; and the checks notice when a lock or a rule is left out.

mod flags;
mod grounds;
mod model;

mod on_sqlite {
    use super::grounds::OnSqlite;

    baton_sim::conformance_suite!(OnSqlite);
}

mod on_postgres {
    use super::grounds::OnPostgres;

    baton_sim::conformance_suite!(OnPostgres);
}

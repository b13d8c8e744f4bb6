//! Boards over GraphQL: made, filled, moved, paged and kept from those who may not see them.

use baton_forge::ClockSetting;
use serde_json::{Value, json};

use crate::relay::world::{REPO, World};

/// A board with a few words to drive it.
pub(crate) struct Board<'w> {
    pub(crate) world: &'w World,
    pub(crate) id: String,
    pub(crate) number: i64,
    status: String,
}

impl<'w> Board<'w> {
    pub(crate) async fn new(world: &'w World, title: &str) -> Self {
        let asked = "query { organization(login: \"acme\") { id } }";
        let owner = world.data(&world.admin, asked, json!({})).await["organization"]["id"].clone();
        let query = "mutation($i: CreateProjectV2Input!) { createProjectV2(input: $i) { projectV2 {
            id number field(name: \"Status\") { ... on ProjectV2SingleSelectField { id } } } } }";
        let input = json!({ "i": { "ownerId": owner, "title": title } });
        let made = world.data(&world.admin, query, input).await["createProjectV2"]["projectV2"].clone();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let number = made["number"].as_i64().unwrap();
        Self { world, id: text(&made["id"]), number, status: text(&made["field"]["id"]) }
    }

    /// Carries out a mutation as the administrator and returns its payload.
    pub(crate) async fn does(&self, name: &str, input: Value, selection: &str) -> Value {
        let answer = self.tries(&self.world.admin, name, input, selection).await;
        assert!(answer.get("errors").is_none(), "{name}: {answer}");
        answer["data"][name].clone()
    }

    /// Carries out a mutation, which may be refused.
    pub(crate) async fn tries(&self, token: &str, name: &str, input: Value, selection: &str) -> Value {
        let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
        let query = format!("mutation($i: {kind}!) {{ {name}(input: $i) {{ {selection} }} }}");
        self.world.graph(token, &query, json!({ "i": input })).await
    }

    /// Opens an issue and puts it on the board; returns the item's id.
    pub(crate) async fn issue(&self, title: &str) -> String {
        let path = format!("{REPO}/issues");
        let issue = self.world.ok(&self.world.admin, "POST", &path, json!({ "title": title })).await;
        let input = json!({ "projectId": self.id, "contentId": issue["node_id"] });
        let added = self.does("addProjectV2ItemById", input, "item { id }").await;
        added["item"]["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn draft(&self, title: &str) -> String {
        let input = json!({ "projectId": self.id, "title": title });
        let added = self.does("addProjectV2DraftIssue", input, "projectItem { id }").await;
        added["projectItem"]["id"].as_str().unwrap().to_owned()
    }

    async fn move_to(&self, item: &str, option: &str) -> Value {
        let value = json!({ "singleSelectOptionId": option });
        let input = json!({ "projectId": self.id, "itemId": item, "fieldId": self.status, "value": value });
        let selection = "projectV2Item { fieldValueByName(name: \"Status\") { ... on ProjectV2ItemFieldSingleSelectValue { name } } }";
        self.does("updateProjectV2ItemFieldValue", input, selection).await["projectV2Item"]["fieldValueByName"]
            ["name"]
            .clone()
    }

    pub(crate) async fn read(&self, token: &str, selection: &str) -> Value {
        let query = format!("query($id: ID!) {{ node(id: $id) {{ ... on ProjectV2 {{ {selection} }} }} }}");
        self.world.data(token, &query, json!({ "id": self.id })).await["node"].clone()
    }

    /// The titles of the items, in their order.
    async fn titles(&self) -> Vec<String> {
        let selection = "items(first: 100) { nodes { fieldValueByName(name: \"Title\") {
            ... on ProjectV2ItemFieldTextValue { text } } } }";
        let read = self.read(&self.world.admin, selection).await;
        let nodes = read["items"]["nodes"].as_array().unwrap().clone();
        nodes.iter().map(|node| node["fieldValueByName"]["text"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_board_has_githubs_fields_and_the_next_number_of_its_owner() {
    let world = World::new().await;
    let first = Board::new(&world, "first").await;
    let second = Board::new(&world, "second").await;
    assert_eq!((first.number, second.number), (1, 2));
    let selection = "title public closed url owner { ... on Organization { login } }
        fields(first: 20) { nodes { ... on ProjectV2FieldCommon { name dataType }
            ... on ProjectV2SingleSelectField { options { id name color } } } }";
    let read = first.read(&world.admin, selection).await;
    assert_eq!(
        (&read["title"], &read["public"], &read["closed"]),
        (&json!("first"), &json!(false), &json!(false))
    );
    assert!(read["url"].as_str().unwrap().ends_with("/orgs/acme/projects/1"), "{read}");
    let fields = read["fields"]["nodes"].as_array().unwrap();
    let named: Vec<_> =
        fields.iter().map(|f| (f["name"].as_str().unwrap(), f["dataType"].as_str().unwrap())).collect();
    assert_eq!(named[..3], [("Title", "TITLE"), ("Assignees", "ASSIGNEES"), ("Status", "SINGLE_SELECT")]);
    assert_eq!(named.len(), 10);
    let options = fields[2]["options"].as_array().unwrap();
    let names: Vec<_> = options.iter().map(|option| option["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Todo", "In Progress", "Done"]);
    assert!(options.iter().all(|option| option["id"].as_str().unwrap().len() == 8));

    first.does("deleteProjectV2", json!({ "projectId": first.id }), "projectV2 { id }").await;
    assert_eq!(Board::new(&world, "third").await.number, 3, "a number is given out once");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_shows_its_issue_and_moves_with_the_times_that_engines_watch() {
    let world = World::new().await;
    let board = Board::new(&world, "work").await;
    world.forge.set_clock(ClockSetting::FrozenAt(1_800_000_000));
    let item = board.issue("repair").await;
    let again = json!({ "projectId": board.id, "contentId": world.get(&format!("{REPO}/issues/1")).await["node_id"] });
    let added = board.does("addProjectV2ItemById", again, "item { id }").await;
    assert_eq!(added["item"]["id"], json!(item), "an issue is on a board once");
    world.forge.set_clock(ClockSetting::FrozenAt(1_800_000_060));
    assert_eq!(board.move_to(&item, "47fc9ee4").await, "In Progress");

    let selection = "updatedAt items(first: 10) { totalCount nodes { id type isArchived createdAt updatedAt
        fieldValueByName(name: \"Status\") { ... on ProjectV2ItemFieldSingleSelectValue { name optionId color
            field { ... on ProjectV2SingleSelectField { name } } } }
        content { ... on Issue { number title state labels(first: 10) { nodes { name } } } } } }";
    let read = board.read(&world.admin, selection).await;
    let status = json!({ "name": "In Progress", "optionId": "47fc9ee4", "color": "YELLOW", "field": { "name": "Status" } });
    let shown = json!({
        "id": item, "type": "ISSUE", "isArchived": false,
        "createdAt": "2027-01-15T08:00:00Z", "updatedAt": "2027-01-15T08:01:00Z",
        "fieldValueByName": status,
        "content": { "number": 1, "title": "repair", "state": "OPEN", "labels": { "nodes": [] } },
    });
    assert_eq!(read["items"], json!({ "totalCount": 1, "nodes": [shown] }));
    assert_eq!(read["updatedAt"], "2027-01-15T08:01:00Z");

    let query = "{ repository(owner: \"acme\", name: \"web\") { issue(number: 1) {
        projectItems(first: 5) { nodes { id project { number } } } projectV2(number: 1) { title } } } }";
    let data = world.data(&world.admin, query, json!({})).await;
    let issue = &data["repository"]["issue"];
    assert_eq!(issue["projectItems"]["nodes"], json!([{ "id": item, "project": { "number": 1 } }]));
    assert_eq!(issue["projectV2"]["title"], "work");
}

#[tokio::test(flavor = "multi_thread")]
async fn items_are_placed_archived_restored_and_deleted_and_the_count_stays_true() {
    let world = World::new().await;
    let board = Board::new(&world, "work").await;
    let a = board.draft("a").await;
    let b = board.issue("b").await;
    let c = board.draft("c").await;
    assert_eq!(board.titles().await, ["a", "b", "c"]);

    let moved = json!({ "projectId": board.id, "itemId": c });
    board.does("updateProjectV2ItemPosition", moved, "items(first: 1) { nodes { id } }").await;
    assert_eq!(board.titles().await, ["c", "a", "b"]);
    // Between the same two again and again, until there is no room left between their places.
    for _ in 0..25 {
        for item in [&b, &a] {
            let moved = json!({ "projectId": board.id, "itemId": item, "afterId": c });
            board.does("updateProjectV2ItemPosition", moved, "clientMutationId").await;
        }
        assert_eq!(board.titles().await, ["c", "a", "b"]);
    }
    let refused = json!({ "projectId": board.id, "itemId": c, "afterId": c });
    let answer = board.tries(&world.admin, "updateProjectV2ItemPosition", refused, "clientMutationId").await;
    assert_eq!(answer["errors"][0]["type"], "UNPROCESSABLE");

    let named = json!({ "projectId": board.id, "itemId": a });
    let archived = board.does("archiveProjectV2Item", named.clone(), "item { isArchived }").await;
    assert_eq!(archived["item"]["isArchived"], true);
    assert_eq!(board.titles().await, ["c", "b"]);
    board.does("unarchiveProjectV2Item", named.clone(), "item { isArchived }").await;
    assert_eq!(board.titles().await, ["c", "b", "a"]);
    let deleted = board.does("deleteProjectV2Item", named.clone(), "deletedItemId").await;
    assert_eq!(deleted["deletedItemId"], json!(a));
    let answer = board.tries(&world.admin, "deleteProjectV2Item", named, "deletedItemId").await;
    assert_eq!(answer["errors"][0]["type"], "NOT_FOUND");
    let count = "items(first: 1) { totalCount }";
    assert_eq!(board.read(&world.admin, count).await["items"]["totalCount"], 2);

    // An issue goes with its repository, and so does its item.
    world.ok(&world.admin, "DELETE", REPO, Value::Null).await;
    assert_eq!(board.read(&world.admin, count).await["items"]["totalCount"], 1);
    assert_eq!(board.titles().await, ["c"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_in_either_direction_join_without_gaps_or_repetitions() {
    let world = World::new().await;
    let board = Board::new(&world, "work").await;
    for n in 0..7 {
        board.draft(&format!("{n}")).await;
    }
    let page = async |arguments: &str| {
        let selection = format!(
            "items({arguments}) {{ totalCount pageInfo {{ hasNextPage hasPreviousPage startCursor endCursor }}
             nodes {{ content {{ ... on DraftIssue {{ title }} }} }} }}"
        );
        let items = board.read(&world.admin, &selection).await["items"].clone();
        let titles = items["nodes"].as_array().unwrap().iter();
        let titles = titles.map(|node| node["content"]["title"].as_str().unwrap()).collect::<String>();
        assert_eq!(items["totalCount"], 7);
        let info = &items["pageInfo"];
        let flag = |name: &str| info[name].as_bool().unwrap();
        let cursor = |name: &str| info[name].as_str().unwrap_or_default().to_owned();
        (titles, flag("hasPreviousPage"), flag("hasNextPage"), cursor("startCursor"), cursor("endCursor"))
    };
    let (titles, previous, next, _, end) = page("first: 3").await;
    assert_eq!((titles.as_str(), previous, next), ("012", false, true));
    let (titles, previous, next, start, end) = page(&format!("first: 3, after: \"{end}\"")).await;
    assert_eq!((titles.as_str(), previous, next), ("345", true, true));
    let (titles, previous, next, _, last) = page(&format!("first: 3, after: \"{end}\"")).await;
    assert_eq!((titles.as_str(), previous, next), ("6", true, false));
    let (titles, previous, next, ..) = page(&format!("first: 3, after: \"{last}\"")).await;
    assert_eq!((titles.as_str(), previous, next), ("", true, false));
    let (titles, previous, next, ..) = page(&format!("last: 2, before: \"{start}\"")).await;
    assert_eq!((titles.as_str(), previous, next), ("12", true, true));
    let (titles, previous, next, _, end) =
        page("first: 2, orderBy: {field: POSITION, direction: DESC}").await;
    assert_eq!((titles.as_str(), previous, next), ("65", false, true));
    let descending = format!("first: 9, after: \"{end}\", orderBy: {{field: POSITION, direction: DESC}}");
    let (titles, previous, next, ..) = page(&descending).await;
    assert_eq!((titles.as_str(), previous, next), ("43210", true, false));
}

#[tokio::test(flavor = "multi_thread")]
async fn own_fields_hold_what_fits_them_and_refuse_the_rest() {
    let world = World::new().await;
    let board = Board::new(&world, "work").await;
    let item = board.draft("a").await;
    let field = async |name: &str, kind: &str| {
        let input = json!({ "projectId": board.id, "name": name, "dataType": kind });
        let made = board
            .does("createProjectV2Field", input, "projectV2Field { ... on ProjectV2Field { id } }")
            .await;
        made["projectV2Field"]["id"].as_str().unwrap().to_owned()
    };
    let (text, number, date) =
        (field("Notes", "TEXT").await, field("Points", "NUMBER").await, field("Due", "DATE").await);
    let set = async |field: &str, value: Value| {
        let input = json!({ "projectId": board.id, "itemId": item, "fieldId": field, "value": value });
        let answer =
            board.tries(&world.admin, "updateProjectV2ItemFieldValue", input, "projectV2Item { id }").await;
        answer["errors"][0]["type"].as_str().map(str::to_owned)
    };
    assert_eq!(set(&text, json!({ "text": "words" })).await, None);
    assert_eq!(set(&number, json!({ "number": 2.5 })).await, None);
    assert_eq!(set(&date, json!({ "date": "2026-02-28" })).await, None);
    let refused = [
        (&text, json!({ "number": 1 })),
        (&number, json!({ "text": "1" })),
        (&date, json!({ "date": "2026-02-30" })),
        (&date, json!({ "date": "28.2.2026" })),
        (&board.status, json!({ "singleSelectOptionId": "00000000" })),
        (&text, json!({})),
        (&text, json!({ "text": "a", "number": 1 })),
    ];
    for (field, value) in refused {
        let shown = value.to_string();
        assert_eq!(set(field, value).await.as_deref(), Some("UNPROCESSABLE"), "{shown}");
    }
    let selection = "items(first: 1) { nodes { fieldValues(first: 20) { totalCount nodes { __typename
        ... on ProjectV2ItemFieldTextValue { text field { ... on ProjectV2FieldCommon { name } } }
        ... on ProjectV2ItemFieldNumberValue { number } ... on ProjectV2ItemFieldDateValue { date } } } } }";
    let read = board.read(&world.admin, selection).await;
    let values = &read["items"]["nodes"][0]["fieldValues"];
    assert_eq!(values["totalCount"], 4, "the title is a value too");
    assert_eq!(values["nodes"][1]["text"], "words");
    assert_eq!(
        (&values["nodes"][2]["number"], &values["nodes"][3]["date"]),
        (&json!(2.5), &json!("2026-02-28"))
    );

    for input in [
        json!({ "projectId": board.id, "name": "Notes", "dataType": "TEXT" }),
        json!({ "projectId": board.id, "name": "Title", "dataType": "TEXT" }),
        json!({ "projectId": board.id, "name": " ", "dataType": "TEXT" }),
        json!({ "projectId": board.id, "name": "Pick", "dataType": "SINGLE_SELECT" }),
        json!({ "projectId": board.id, "name": "Sprint", "dataType": "ITERATION" }),
    ] {
        let answer =
            board.tries(&world.admin, "createProjectV2Field", input.clone(), "clientMutationId").await;
        assert_eq!(answer["errors"][0]["type"], "UNPROCESSABLE", "{input}: {answer}");
    }
    let clear = json!({ "projectId": board.id, "itemId": item, "fieldId": text });
    board.does("clearProjectV2ItemFieldValue", clear, "projectV2Item { id }").await;
    board.does("deleteProjectV2Field", json!({ "fieldId": number }), "clientMutationId").await;
    let read = board.read(&world.admin, selection).await;
    assert_eq!(read["items"]["nodes"][0]["fieldValues"]["totalCount"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn options_keep_their_ids_and_values_go_with_the_options_that_go() {
    let world = World::new().await;
    let board = Board::new(&world, "work").await;
    let (kept, lost) = (board.draft("kept").await, board.draft("lost").await);
    board.move_to(&kept, "98236657").await;
    board.move_to(&lost, "f75ad846").await;
    let option = |id: Value, name: &str| json!({ "id": id, "name": name, "color": "RED", "description": "" });
    let options = json!([option(json!("98236657"), "Shipped"), option(Value::Null, "Ready")]);
    let input = json!({ "fieldId": board.status, "singleSelectOptions": options });
    let selection = "projectV2Field { ... on ProjectV2SingleSelectField { options { id name color } } }";
    let field = board.does("updateProjectV2Field", input, selection).await["projectV2Field"].clone();
    assert_eq!(field["options"][0], json!({ "id": "98236657", "name": "Shipped", "color": "RED" }));
    let selection = "items(first: 5) { nodes { fieldValueByName(name: \"status\") {
        ... on ProjectV2ItemFieldSingleSelectValue { name } } } }";
    let nodes = board.read(&world.admin, selection).await["items"]["nodes"].clone();
    assert_eq!(nodes, json!([{ "fieldValueByName": { "name": "Shipped" } }, { "fieldValueByName": null }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_is_hidden_from_strangers_and_what_they_may_not_see_is_redacted() {
    let world = World::new().await;
    let board = Board::new(&world, "work").await;
    board.issue("seen").await;
    let secret = json!({ "name": "secret", "private": true });
    world.ok(&world.admin, "POST", "/orgs/acme/repos", secret).await;
    let hidden =
        world.ok(&world.admin, "POST", "/repos/acme/secret/issues", json!({ "title": "hidden" })).await;
    let input = json!({ "projectId": board.id, "contentId": hidden["node_id"] });
    let added = board.does("addProjectV2ItemById", input, "item { id }").await;

    let query = "query($id: ID!) { node(id: $id) { id } organization(login: \"acme\") {
        projectsV2(first: 5) { totalCount } projectV2(number: 1) { id } } }";
    let answer = world.graph(&world.eve, query, json!({ "id": board.id })).await;
    assert_eq!(answer["errors"].as_array().unwrap().len(), 2, "{answer}");
    assert_eq!(answer["data"]["organization"]["projectsV2"]["totalCount"], 0);
    let answer = board
        .tries(&world.eve, "deleteProjectV2", json!({ "projectId": board.id }), "clientMutationId")
        .await;
    assert_eq!(answer["errors"][0]["type"], "NOT_FOUND");

    let public = json!({ "projectId": board.id, "public": true });
    board.does("updateProjectV2", public, "projectV2 { public }").await;
    let selection = "items(first: 5) { nodes { type content { ... on Issue { title } } fieldValues(first: 9) { totalCount } } }";
    let nodes = board.read(&world.eve, selection).await["items"]["nodes"].clone();
    assert_eq!(nodes[0]["content"]["title"], "seen");
    assert_eq!(nodes[1], json!({ "type": "REDACTED", "content": null, "fieldValues": { "totalCount": 0 } }));
    for (name, input) in [
        ("deleteProjectV2", json!({ "projectId": board.id })),
        ("addProjectV2DraftIssue", json!({ "projectId": board.id, "title": "mine" })),
        ("deleteProjectV2Item", json!({ "projectId": board.id, "itemId": added["item"]["id"] })),
    ] {
        let answer = board.tries(&world.eve, name, input, "clientMutationId").await;
        assert_eq!(answer["errors"][0]["type"], "FORBIDDEN", "{answer}");
    }
    let titles = board.read(&world.admin, "title items(first: 5) { totalCount }").await;
    assert_eq!(titles["items"]["totalCount"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_filter_lets_through_what_it_names() {
    let world = World::new().await;
    let board = Board::new(&world, "work").await;
    let item = board.issue("repair the door").await;
    board.draft("paint the door").await;
    board.move_to(&item, "98236657").await;
    let found = async |query: &str| {
        let selection = format!("items(first: 9, query: {}) {{ totalCount }}", json!(query));
        board.read(&world.admin, &selection).await["items"]["totalCount"].as_i64().unwrap()
    };
    for (query, count) in
        [("", 2), ("door", 2), ("is:issue", 1), ("status:Done", 1), ("-status:Done", 1), ("nothing", 0)]
    {
        assert_eq!(found(query).await, count, "{query}");
    }
}

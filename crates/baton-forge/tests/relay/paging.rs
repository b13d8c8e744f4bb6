//! Lists that change while somebody pages through them: nothing is skipped that nobody touched.

use serde_json::{Value, json};

use crate::relay::boards::Board;
use crate::relay::world::{REPO, World};

const NODE: &str = "content { ... on DraftIssue { title } ... on Issue { title } }";

fn titles(nodes: &Value) -> Vec<String> {
    let title = |node: &Value| node["content"]["title"].as_str().unwrap().to_owned();
    nodes.as_array().unwrap().iter().map(title).collect()
}

/// A page of a board: its titles and its last cursor.
async fn page(board: &Board<'_>, arguments: &str) -> (Vec<String>, String) {
    let selection = format!("items({arguments}) {{ nodes {{ {NODE} }} pageInfo {{ endCursor }} }}");
    let items = board.read(&board.world.admin, &selection).await["items"].clone();
    (titles(&items["nodes"]), items["pageInfo"]["endCursor"].as_str().unwrap().to_owned())
}

async fn place(board: &Board<'_>, item: &str, after: &str) {
    let input = json!({ "projectId": board.id, "itemId": item, "afterId": after });
    board.does("updateProjectV2ItemPosition", input, "clientMutationId").await;
}

/// Moves two items behind a third until there is no room left there, so that the board is numbered anew.
async fn renumber(board: &Board<'_>, after: &str, pair: [&str; 2]) {
    let (_, before) = page(board, "first: 1").await;
    for _ in 0..16 {
        for item in pair {
            place(board, item, after).await;
        }
    }
    assert_ne!(page(board, "first: 1").await.1, before, "the first item stays and has another number");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_a_board_goes_on_where_the_last_one_ended() {
    let world = World::new().await;
    let board = Board::new(&world, "work").await;
    let mut items = Vec::new();
    for title in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "x", "y"] {
        items.push(board.draft(title).await);
    }
    for item in &items[..3] {
        let input = json!({ "projectId": board.id, "itemId": item });
        board.does("deleteProjectV2Item", input, "deletedItemId").await;
    }
    let pair = [items[9].as_str(), items[10].as_str()];
    let rest = format!("/orgs/acme/projectsV2/{}/items?per_page=2", board.number);
    let (links, _) = world.page(&world.admin, &rest).await;
    let (first, cursor) = page(&board, "first: 2").await;
    let (_, filtered) = page(&board, "first: 2, query: \"is:draft\"").await;
    assert_eq!(first, ["d", "e"]);
    renumber(&board, &items[8], pair).await;
    let expected = ["f", "g", "h", "i"];
    assert_eq!(page(&board, &format!("first: 4, after: \"{cursor}\"")).await.0, expected);
    let again = format!("first: 4, after: \"{filtered}\", query: \"is:draft\"");
    assert_eq!(page(&board, &again).await.0, expected);
    let (_, next) = world.page(&world.admin, &links["next"]).await;
    assert_eq!(titles(&next), ["f", "g"]);

    let (_, cursor) = page(&board, "first: 2").await;
    place(&board, &items[4], &items[8]).await;
    let after = format!("first: 4, after: \"{cursor}\"");
    assert_eq!(page(&board, &after).await.0, ["f", "g", "h", "i"], "the last item has moved away");
    let (first, cursor) = page(&board, "first: 2").await;
    assert_eq!(first, ["d", "f"]);
    let input = json!({ "projectId": board.id, "itemId": items[5] });
    board.does("archiveProjectV2Item", input, "item { id }").await;
    renumber(&board, &items[8], pair).await;
    let after = format!("first: 3, after: \"{cursor}\"");
    assert_eq!(page(&board, &after).await.0, ["g", "h", "i"], "the last item is archived");
    let before = page(&board, "first: 3").await.1;
    assert_eq!(page(&board, &format!("last: 2, before: \"{before}\"")).await.0, ["d", "g"]);
    let descending = "orderBy: { field: POSITION, direction: DESC }";
    let (all, cursor) = page(&board, &format!("first: 4, {descending}")).await;
    assert_eq!(all[3], "i");
    assert_eq!(
        page(&board, &format!("first: 9, after: \"{cursor}\", {descending}")).await.0,
        ["h", "g", "d"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_that_leaves_the_filter_takes_no_other_along() {
    let world = World::new().await;
    let board = Board::new(&world, "work").await;
    for title in ["a", "b", "c", "d", "e"] {
        board.issue(title).await;
    }
    let (first, cursor) = page(&board, "first: 2, query: \"is:open\"").await;
    assert_eq!(first, ["a", "b"]);
    world.ok(&world.ada, "PATCH", &format!("{REPO}/issues/1"), json!({ "state": "closed" })).await;
    let next = format!("first: 2, after: \"{cursor}\", query: \"is:open\"");
    assert_eq!(page(&board, &next).await.0, ["c", "d"]);
}

/// A page of one of the repository's lists: its numbers and its page's description.
async fn listed(world: &World, field: &str, arguments: &str) -> (Vec<i64>, Value) {
    let query = format!(
        "{{ repository(owner: \"acme\", name: \"web\") {{ {field}({arguments}) {{ nodes {{ number }} totalCount
         pageInfo {{ startCursor endCursor hasNextPage hasPreviousPage }} }} }} }}"
    );
    let list = world.data(&world.ada, &query, json!({})).await["repository"][field].clone();
    let nodes = list["nodes"].as_array().unwrap();
    (nodes.iter().map(|node| node["number"].as_i64().unwrap()).collect(), list["pageInfo"].clone())
}

fn around(info: &Value) -> (bool, bool) {
    (info["hasPreviousPage"].as_bool().unwrap(), info["hasNextPage"].as_bool().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_that_closes_takes_no_other_out_of_the_next_page() {
    let world = World::new().await;
    for n in 1..=9 {
        world.ok(&world.ada, "POST", &format!("{REPO}/issues"), json!({ "title": n.to_string() })).await;
    }
    let set = async |number: i64, state: &str| {
        let path = format!("{REPO}/issues/{number}");
        world.ok(&world.ada, "PATCH", &path, json!({ "state": state })).await
    };
    for (order, first, second) in [
        ("", [1, 2, 3], [4, 5, 6]),
        (", orderBy: { field: CREATED_AT, direction: ASC }", [1, 2, 3], [4, 5, 6]),
        (", orderBy: { field: CREATED_AT, direction: DESC }", [9, 8, 7], [6, 5, 4]),
        (", orderBy: { field: COMMENTS, direction: ASC }", [1, 2, 3], [4, 5, 6]),
    ] {
        let (found, info) = listed(&world, "issues", &format!("first: 3, states: OPEN{order}")).await;
        assert_eq!((found.as_slice(), around(&info)), (first.as_slice(), (false, true)), "{order}");
        set(first[1], "closed").await;
        let next = format!("first: 3, states: OPEN, after: {}{order}", info["endCursor"]);
        let (found, info) = listed(&world, "issues", &next).await;
        assert_eq!((found.as_slice(), around(&info)), (second.as_slice(), (true, true)), "{order}");
        let back = format!("last: 3, states: OPEN, before: {}{order}", info["startCursor"]);
        let (found, info) = listed(&world, "issues", &back).await;
        assert_eq!((found, around(&info)), (vec![first[0], first[2]], (false, true)), "{order}");
        set(first[1], "open").await;
    }
    let (found, info) = listed(&world, "issues", "last: 3").await;
    assert_eq!((found, around(&info)), (vec![7, 8, 9], (true, false)));
    let (found, info) = listed(&world, "issues", &format!("first: 3, after: {}", info["endCursor"])).await;
    assert_eq!((found, around(&info)), (vec![], (true, false)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_that_closes_and_a_comment_that_goes_take_no_other_along() {
    let world = World::new().await;
    for branch in ["a", "b", "c", "d"] {
        world.pull(branch, "").await;
    }
    let (found, info) = listed(&world, "pullRequests", "first: 2, states: OPEN").await;
    assert_eq!(found, [1, 2]);
    world.ok(&world.ada, "PATCH", &format!("{REPO}/pulls/1"), json!({ "state": "closed" })).await;
    let next = format!("first: 2, states: OPEN, after: {}", info["endCursor"]);
    let (found, info) = listed(&world, "pullRequests", &next).await;
    assert_eq!((found, around(&info)), (vec![3, 4], (true, false)));

    let path = format!("{REPO}/issues/2/comments");
    let mut comments = Vec::new();
    for body in ["a", "b", "c", "d"] {
        comments.push(world.ok(&world.ada, "POST", &path, json!({ "body": body })).await["id"].clone());
    }
    let read = async |arguments: &str| {
        let query = format!(
            "{{ repository(owner: \"acme\", name: \"web\") {{ pullRequest(number: 2) {{ comments({arguments}) {{
             nodes {{ body }} pageInfo {{ endCursor }} }} }} }} }}"
        );
        world.data(&world.ada, &query, json!({})).await["repository"]["pullRequest"]["comments"].clone()
    };
    let by_update = ", orderBy: { field: UPDATED_AT, direction: ASC }";
    let (first, updated) = (read("first: 2").await, read(&format!("first: 2{by_update}")).await);
    world.ok(&world.ada, "DELETE", &format!("{REPO}/issues/comments/{}", comments[0]), Value::Null).await;
    for (page, order) in [(first, ""), (updated, by_update)] {
        let next = read(&format!("first: 2, after: {}{order}", page["pageInfo"]["endCursor"])).await;
        assert_eq!(next["nodes"], json!([{ "body": "c" }, { "body": "d" }]), "{order}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_of_another_kind_of_list_is_refused() {
    let world = World::new().await;
    let query = "query($c: String) { repository(owner: \"acme\", name: \"web\") {
        issues(first: 1, after: $c) { totalCount } } }";
    // A place instead of a key.
    let answer = world.graph(&world.ada, query, json!({ "c": "Y3Vyc29yOjE=" })).await;
    assert_eq!(answer["errors"][0]["type"], "INVALID_CURSOR_ARGUMENTS", "{answer}");
}

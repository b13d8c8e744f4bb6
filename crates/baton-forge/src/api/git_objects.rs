//! Blobs, commits and tags, as objects.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use git2::{ObjectType, Oid};
use serde_json::json;

use super::repos::signature_of;
use crate::git::objects::{CommitInfo, Person, parse_oid, person_of};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::reply::{ApiResult, Reply};
use crate::wire::commit::{blob_node_id, git_commit, person as person_view, tag_node_id, unsigned};
use crate::wire::parse_time;

/// GitHub's limit of a blob through the API.
const BLOB_BYTES_MAX: usize = 100 * 1024 * 1024;

/// Reads base64 as clients send it, wrapped in lines or not.
pub(super) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let packed: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    STANDARD.decode(packed).ok()
}

/// Writes base64 in lines of sixty, as GitHub does.
pub(super) fn encode_base64(bytes: &[u8]) -> String {
    let packed = STANDARD.encode(bytes);
    let mut lines = String::with_capacity(packed.len() + packed.len() / 60 + 1);
    let mut rest = packed.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(60));
        lines.push_str(line);
        lines.push('\n');
        rest = after;
    }
    lines
}

pub(super) fn create_blob(call: &Call) -> ApiResult {
    let fields = call.fields()?;
    let content = fields.str("content")?;
    let bytes = match fields.opt_str("encoding")?.unwrap_or("utf-8") {
        "utf-8" => content.as_bytes().to_vec(),
        "base64" => {
            decode_base64(content).ok_or_else(|| ApiError::unprocessable("content is not valid Base64"))?
        }
        other => {
            return Err(ApiError::unprocessable(format!(
                "encoding {other} is not known; use utf-8 or base64"
            )));
        }
    };
    let oid = call.forge.git.open(call.repo()?.id)?.blob(&bytes)?.to_string();
    let url = call.place()?.object_url("blob", &oid);
    Reply::created(&json!({ "sha": oid, "url": url }), url.clone())
}

fn oid_param(call: &Call, name: &str) -> Result<Oid, ApiError> {
    parse_oid(call.param(name)).ok_or_else(ApiError::not_found)
}

pub(super) fn get_blob(call: &Call) -> ApiResult {
    let (repo, oid) = (call.repo()?, oid_param(call, "file_sha")?);
    let repository = call.forge.git.open(repo.id)?;
    let size = repository.odb()?.read_header(oid).map_err(|_| ApiError::not_found())?.0;
    if size > BLOB_BYTES_MAX {
        return Err(ApiError::forbidden(
            "The requested blob is too large to fetch via the API, but you can always clone the repository via Git",
        ));
    }
    let blob = repository.find_blob(oid).map_err(|_| ApiError::not_found())?;
    let oid = oid.to_string();
    Reply::ok(&json!({
        "sha": oid,
        "node_id": blob_node_id(repo, &oid),
        "size": blob.size(),
        "url": call.place()?.object_url("blob", &oid),
        "content": encode_base64(blob.content()),
        "encoding": "base64",
    }))
}

/// The person that a request names, or the viewer at this moment: the server dates what the client does not.
pub(super) fn person(call: &Call, fields: Option<&Fields>, unsaid: &Person) -> Result<Person, ApiError> {
    let Some(fields) = fields else { return Ok(unsaid.clone()) };
    let at = match fields.opt_str("date")? {
        None => call.now,
        Some(text) => parse_time(text)
            .ok_or_else(|| ApiError::unprocessable(format!("date {text} is not an ISO 8601 time")))?,
    };
    Ok(Person { name: fields.str("name")?.to_owned(), email: fields.str("email")?.to_owned(), at })
}

/// Author and committer of a request that may name either.
pub(super) fn people(call: &Call, fields: &Fields) -> Result<(Person, Person), ApiError> {
    let viewer = signature_of(&call.viewer()?.account, call.now);
    let author = person(call, fields.opt_object("author")?.as_ref(), &viewer)?;
    let named = fields.opt_object("committer")?;
    // Who is not named as committer is the author, as on GitHub.
    let committer = person(call, named.as_ref(), &author)?;
    Ok((author, committer))
}

pub(super) fn create_commit(call: &Call) -> ApiResult {
    let fields = call.fields()?;
    let (message, tree) = (fields.str("message")?, fields.str("tree")?);
    let repository = call.forge.git.open(call.repo()?.id)?;
    let tree = parse_oid(tree).and_then(|oid| repository.find_tree(oid).ok());
    let tree = tree.ok_or_else(|| ApiError::unprocessable("Tree SHA does not exist"))?;
    let mut parents = Vec::new();
    for parent in fields.opt_strings("parents")?.unwrap_or_default() {
        let commit = parse_oid(&parent).and_then(|oid| repository.find_commit(oid).ok());
        parents.push(
            commit.ok_or_else(|| {
                ApiError::unprocessable("Parent SHA does not exist or is not a commit object")
            })?,
        );
    }
    let (author, committer) = people(call, &fields)?;
    let parents: Vec<_> = parents.iter().collect();
    let oid =
        repository.commit(None, &author.signature()?, &committer.signature()?, message, &tree, &parents)?;
    let commit = CommitInfo::of(&repository.find_commit(oid)?);
    let place = call.place()?;
    Reply::created(&git_commit(place, &commit), place.object_url("commit", &commit.oid))
}

pub(super) fn get_commit(call: &Call) -> ApiResult {
    let repository = call.forge.git.open(call.repo()?.id)?;
    let commit = repository.find_commit(oid_param(call, "commit_sha")?).map_err(|_| ApiError::not_found())?;
    Reply::ok(&git_commit(call.place()?, &CommitInfo::of(&commit)))
}

pub(super) fn create_tag(call: &Call) -> ApiResult {
    let fields = call.fields()?;
    let (name, message) = (fields.str("tag")?, fields.str("message")?);
    let repository = call.forge.git.open(call.repo()?.id)?;
    let target = parse_oid(fields.str("object")?).and_then(|oid| repository.find_object(oid, None).ok());
    let target = target.ok_or_else(|| ApiError::unprocessable("Object does not exist"))?;
    let wanted = fields.str("type")?;
    if target.kind().map(|kind| kind.str()) != Some(wanted) {
        return Err(ApiError::unprocessable(format!("Object is not a {wanted}")));
    }
    let viewer = signature_of(&call.viewer()?.account, call.now);
    let tagger = person(call, fields.opt_object("tagger")?.as_ref(), &viewer)?;
    let written = repository.tag_annotation_create(name, &target, &tagger.signature()?, message);
    let oid = written.map_err(|_| ApiError::unprocessable("The tag's name is not valid"))?;
    reply_tag(call, &repository, oid, 201)
}

pub(super) fn get_tag(call: &Call) -> ApiResult {
    let repository = call.forge.git.open(call.repo()?.id)?;
    reply_tag(call, &repository, oid_param(call, "tag_sha")?, 200)
}

fn reply_tag(call: &Call, repository: &git2::Repository, oid: Oid, status: u16) -> ApiResult {
    let tag = repository.find_tag(oid).map_err(|_| ApiError::not_found())?;
    let (place, oid) = (call.place()?, oid.to_string());
    let target = tag.target_id().to_string();
    let kind = tag.target_type().unwrap_or(ObjectType::Commit).str();
    let nobody = || Person { name: String::new(), email: String::new(), at: 0 };
    let tagger = tag.tagger().as_ref().map_or_else(nobody, person_of);
    let value = json!({
        "node_id": tag_node_id(place.repo, &oid),
        "tag": String::from_utf8_lossy(tag.name_bytes()),
        "sha": oid,
        "url": place.object_url("tag", &oid),
        "message": String::from_utf8_lossy(tag.message_bytes().unwrap_or_default()),
        "tagger": person_view(&tagger),
        "object": { "type": kind, "sha": target, "url": place.object_url(kind, &target) },
        "verification": unsigned(),
    });
    match status {
        201 => Reply::created(&value, place.object_url("tag", &oid)),
        _ => Reply::ok(&value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_written_in_lines_and_read_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        let text = encode_base64(&bytes);
        assert!(text.lines().all(|line| line.len() <= 60) && text.ends_with('\n'));
        assert_eq!(decode_base64(&text), Some(bytes));
        assert_eq!((encode_base64(b""), decode_base64("!")), (String::new(), None));
    }
}

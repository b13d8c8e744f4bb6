// GitHub's API through Octokit, at BASE_URL and at BASE_URL/api/v3.
//
// Run as: node octokit_flow.mjs BASE_URL TOKEN, with a second account in FORGE_USER2 and FORGE_TOKEN2, in the directory
// that contains node_modules. The script itself may lie elsewhere.
//
// Octokit takes answers as they come, so what is checked here is less their shape than what they say: values read
// back, the Link header that its paginate() follows, and every address in an answer.

import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import { pathToFileURL } from 'node:url';

const resolve = createRequire(`${process.cwd()}/`).resolve;
const { Octokit } = await import(pathToFileURL(resolve('@octokit/rest')));

const REPO = 'octokit-flow';
const PRIVATE = 'octokit-flow-private';
const WAIT_MS = 180_000;

const [base, token] = [process.argv[2].replace(/\/$/, ''), process.argv[3]];
const user2 = process.env.FORGE_USER2;

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const connect = (auth, baseUrl = base) => new Octokit({ auth, baseUrl, log: quiet, userAgent: 'octokit-flow' });

const octokit = connect(token);
const versioned = connect(token, `${base}/api/v3`);
const second = connect(process.env.FORGE_TOKEN2);
const anonymous = connect(undefined);

/** What steps hand to later steps. */
const known = {};

// Steps and expectations

const steps = [];
const step = (name, run) => steps.push({ name, run });

/** Shows a value, cut where it gets long. */
const shown = (value) => (JSON.stringify(value) ?? 'nothing').slice(0, 500);

class Deviation extends Error {
  constructor(what, wanted, got) {
    super(`${what}\n      expected: ${shown(wanted)}\n      got:      ${shown(got)}`);
  }
}

/** Returns the line of this script that an error comes from, looking only below a line. */
function lineOf(error, below = 0) {
  const lines = [...(error.stack ?? '').matchAll(/octokit_flow\.mjs:(\d+)/g)].map((match) => Number(match[1]));
  return lines.find((line) => line > below);
}

function expect(what, got, wanted) {
  if (!isDeepStrictEqual(got, wanted)) throw new Deviation(what, wanted, got);
}

function expectThat(what, holds, wanted, got) {
  if (!holds) throw new Deviation(what, wanted, got);
}

/** Returns the data of an answer, once its status is the expected one. */
async function body(answer, status = 200) {
  const response = await answer;
  expect('status', response.status, status);
  return response.data;
}

const nothing = async (answer) => expect('body', (await body(answer, 204)) ?? '', '');

/** Awaits an answer that must be a refusal, and returns its body. */
async function refusal(status, answer) {
  const response = await answer.then(
    (response) => response,
    (error) => error,
  );
  expect('status', response.status, status);
  expectThat('kind', response instanceof Error, 'an error', response.status);
  return response.response.data;
}

async function waitUntil(what, ask) {
  for (const deadline = Date.now() + WAIT_MS; ; ) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > deadline) throw new Deviation(what, `true within ${WAIT_MS} ms`, answer);
    await new Promise((resume) => setTimeout(resume, 50));
  }
}

const numbers = (issues) => issues.map((issue) => issue.number);
const names = (things) => things.map((thing) => thing.name).sort();
const at = (rest) => ({ owner: known.owner, repo: REPO, ...rest });

/** Waits until the server's clock shows another second than now, and returns the new one. */
async function nextSecond() {
  const read = async () => Date.parse((await octokit.rest.rateLimit.get()).headers.date);
  const start = await read();
  const now = await waitUntil("the server's clock moves on", async () => (await read()) > start && read());
  return new Date(now).toISOString().replace('.000Z', 'Z');
}

// Addresses in answers

/** Addresses that people open or that git uses; they know no version of the API. */
const FOR_PEOPLE = /(^|_)(html|diff|patch|permalink|blob|raw|clone|svn|avatar|download|homepage|mirror)(_url)?$/;
const NOT_HTTP = /^(git_url|ssh_url)$/;

/** Lists every address in an answer, with the name under which it stands. */
function* addresses(value, name = '') {
  if (typeof value === 'string' && /(^|_)url$|^href$|^html$|^self$/.test(name)) yield [name, value];
  if (value === null || typeof value !== 'object') return;
  for (const [key, inner] of Object.entries(value)) yield* addresses(inner, Array.isArray(value) ? name : key);
}

/** Checks that all addresses in an answer are of this server, and those of the API under its address. */
function expectOwnAddresses(what, data, api) {
  const found = [...addresses(data)].filter(([, address]) => /^https?:/.test(address));
  expectThat(what, found.length > 0, 'addresses', data);
  for (const [name, address] of found) {
    if (address.startsWith('https://docs.github.com/')) continue;
    const isForPeople = FOR_PEOPLE.test(name) || (name === 'href' && !address.includes('/repos/'));
    const wanted = isForPeople || NOT_HTTP.test(name) ? `${base}/` : `${api}/`;
    expectThat(`${what}: ${name}`, address.startsWith(wanted), `something under ${wanted}`, address);
    if (isForPeople) expectThat(`${what}: ${name}`, !address.startsWith(`${base}/api/v3`), 'no API address', address);
  }
}

// The flow

const FLOW_STARTS = lineOf(new Error('here'));

step('read the own account', async () => {
  const me = await body(octokit.rest.users.getAuthenticated());
  known.owner = me.login;
  expect('the same under /api/v3', (await body(versioned.rest.users.getAuthenticated())).id, me.id);
  expect('another one', (await body(octokit.rest.users.getByUsername({ username: user2 }))).login, user2);
});

step('read the rate limit', async () => {
  const response = await octokit.rest.rateLimit.get();
  const { core, search } = (await body(Promise.resolve(response))).resources;
  expect('sum', core.used + core.remaining, core.limit);
  expectThat('search', search.limit > 0, 'a limit', search);
  expect('x-ratelimit-limit', Number(response.headers['x-ratelimit-limit']), core.limit);
  expect('x-ratelimit-resource', response.headers['x-ratelimit-resource'], 'core');
});

step('be refused without credentials, or with wrong ones', async () => {
  const error = await refusal(401, anonymous.rest.users.getAuthenticated());
  expect('message', error.message, 'Requires authentication');
  const wrong = await refusal(401, connect('not-a-token').rest.users.getAuthenticated());
  expect('message', wrong.message, 'Bad credentials');
});

step('remove what an earlier run left', async () => {
  for (const repo of [REPO, PRIVATE]) {
    await octokit.rest.repos.delete({ owner: known.owner, repo }).catch((error) => expect('status', error.status, 404));
  }
});

step('create repositories', async () => {
  const create = (fields) => octokit.rest.repos.createForAuthenticatedUser({ auto_init: true, ...fields });
  const repo = await body(create({ name: REPO, description: 'made by Octokit' }), 201);
  expect('full_name', repo.full_name, `${known.owner}/${REPO}`);
  expect('default_branch, private', [repo.default_branch, repo.private], ['main', false]);
  expect('read back', (await body(octokit.rest.repos.get(at()))).id, repo.id);
  expect('private', (await body(create({ name: PRIVATE, private: true }), 201)).visibility, 'private');
  const error = await refusal(422, create({ name: REPO }));
  expect('message', error.message, 'Repository creation failed.');
  expect('field', error.errors.map((one) => [one.resource, one.field]), [['Repository', 'name']]);
});

step('open an issue with labels', async () => {
  const label = await body(octokit.rest.issues.createLabel(at({ name: 'kind: a/b c', color: 'f29513' })), 201);
  expect('label', (await body(octokit.rest.issues.getLabel(at({ name: label.name })))).id, label.id);
  const fields = { title: 'the first', body: 'with words', labels: ['bug', label.name], assignees: [known.owner] };
  const issue = await body(octokit.rest.issues.create(at(fields)), 201);
  expect('number', issue.number, 1);
  expect('labels', names(issue.labels), ['bug', 'kind: a/b c']);
  expect('assignees', issue.assignees.map((user) => user.login), [known.owner]);
  expect('association', issue.author_association, 'OWNER');
  const long = await refusal(422, octokit.rest.issues.createLabel(at({ name: 'x'.repeat(51) })));
  expect('field', long.errors.map((error) => [error.resource, error.field]), [['Label', 'name']]);
  known.id = issue.id;
});

step('change, close and reopen the issue', async () => {
  const update = (fields) => body(octokit.rest.issues.update(at({ issue_number: 1, ...fields })));
  expect('title', (await update({ title: 'the first, renamed' })).title, 'the first, renamed');
  const closed = await update({ state: 'closed', state_reason: 'not_planned' });
  expect('closed', [closed.state, closed.state_reason, closed.closed_by.login], ['closed', 'not_planned', known.owner]);
  const open = await update({ state: 'open' });
  expect('open', [open.state, open.state_reason, open.closed_at], ['open', 'reopened', null]);
  const left = await body(octokit.rest.issues.removeLabel(at({ issue_number: 1, name: 'kind: a/b c' })));
  expect('labels left', names(left), ['bug']);
  const none = await refusal(404, octokit.rest.issues.removeLabel(at({ issue_number: 1, name: 'kind: a/b c' })));
  expect('message', none.message, 'Label does not exist');
});

step('comment, edit and list since a time', async () => {
  const create = (text) => body(octokit.rest.issues.createComment(at({ issue_number: 1, body: text })), 201);
  const list = (since) => body(octokit.rest.issues.listComments(at({ issue_number: 1, since })));
  const one = await create('one');
  await nextSecond();
  const two = await create('two');
  expect('since', (await list(two.created_at)).map((comment) => comment.body), ['two']);
  const edited = await body(octokit.rest.issues.updateComment(at({ comment_id: one.id, body: 'one, edited' })));
  expect('body', edited.body, 'one, edited');
  await nothing(octokit.rest.issues.deleteComment(at({ comment_id: two.id })));
  await refusal(404, octokit.rest.issues.getComment(at({ comment_id: two.id })));
  expect('left', (await list()).map((comment) => comment.id), [one.id]);
  known.comment = one.id;
});

step('react to an issue and to a comment', async () => {
  const on = at({ issue_number: 1 });
  const heart = await body(octokit.rest.reactions.createForIssue({ ...on, content: 'heart' }), 201);
  expect('again', (await body(octokit.rest.reactions.createForIssue({ ...on, content: 'heart' }), 200)).id, heart.id);
  const plus = await body(octokit.rest.reactions.createForIssue({ ...on, content: '+1' }), 201);
  const rollup = (await body(octokit.rest.issues.get(on))).reactions;
  expect('rollup', [rollup.total_count, rollup.heart, rollup['+1'], rollup['-1']], [2, 1, 1, 0]);
  await nothing(octokit.rest.reactions.deleteForIssue({ ...on, reaction_id: heart.id }));
  const left = await octokit.paginate(octokit.rest.reactions.listForIssue, on);
  expect('left', left.map((reaction) => reaction.id), [plus.id]);
  const comment = at({ comment_id: known.comment });
  await body(octokit.rest.reactions.createForIssueComment({ ...comment, content: 'eyes' }), 201);
  expect('rollup of the comment', (await body(octokit.rest.issues.getComment(comment))).reactions.eyes, 1);
});

step('page through a list', async () => {
  const made = [];
  for (let n = 0; n < 23; n += 1) {
    const issue = octokit.rest.issues.create(at({ title: `page ${n}`, labels: ['duplicate'] }));
    made.push((await body(issue, 201)).number);
  }
  const list = at({ labels: 'duplicate', direction: 'asc', per_page: 7 });
  const pages = [];
  for await (const page of octokit.paginate.iterator(octokit.rest.issues.listForRepo, list)) {
    pages.push(numbers(page.data));
  }
  expect('pages', pages.map((page) => page.length), [7, 7, 7, 2]);
  expect('all of them, in order', pages.flat(), made);
  expect('under /api/v3', numbers(await versioned.paginate(versioned.rest.issues.listForRepo, list)), made);
  const link = (await versioned.rest.issues.listForRepo(list)).headers.link;
  const next = link.match(/<([^>]+)>; rel="next"/)[1];
  expectThat('next', next.startsWith(`${base}/api/v3/`), `something under ${base}/api/v3/`, next);
  known.pages = made;
});

step('list issues by filters', async () => {
  const list = async (fields) => numbers(await body(octokit.rest.issues.listForRepo(at(fields))));
  expect('label', await list({ labels: 'bug' }), [1]);
  expect('assignee', await list({ assignee: known.owner }), [1]);
  expect('closed', await list({ state: 'closed' }), []);
  const now = await nextSecond();
  await body(octokit.rest.issues.update(at({ issue_number: 1, body: 'touched' })));
  expect('since', await list({ since: now }), [1]);
  expect('latest update first', (await list({ sort: 'updated' }))[0], 1);
});

step('link parents and children', async () => {
  const create = (title) => body(octokit.rest.issues.create(at({ title })), 201);
  const [parent, one, two] = [await create('parent'), await create('child one'), await create('child two')];
  const on = at({ issue_number: parent.number });
  const added = await body(octokit.rest.issues.addSubIssue({ ...on, sub_issue_id: one.id }), 201);
  expect('answer is the parent', added.number, parent.number);
  // The same by its path, for clients that have no method for it.
  const path = '/repos/{owner}/{repo}/issues/{issue_number}/sub_issues';
  await body(octokit.request(`POST ${path}`, { ...on, sub_issue_id: two.id }), 201);
  const children = async () => numbers(await octokit.paginate(octokit.rest.issues.listSubIssues, on));
  expect('children', await children(), [one.number, two.number]);
  await body(octokit.rest.issues.reprioritizeSubIssue({ ...on, sub_issue_id: two.id, before_id: one.id }));
  expect('order', await children(), [two.number, one.number]);
  const summary = (await body(octokit.rest.issues.get(on))).sub_issues_summary;
  expect('summary', summary, { total: 2, completed: 0, percent_completed: 0 });
  expect('parent', (await body(octokit.rest.issues.getParent(at({ issue_number: one.number })))).id, parent.id);
  await refusal(422, octokit.rest.issues.addSubIssue(at({ issue_number: two.number, sub_issue_id: one.id })));
  await body(octokit.rest.issues.removeSubIssue({ ...on, sub_issue_id: one.id }));
  expect('left', await children(), [two.number]);
  await refusal(404, octokit.rest.issues.getParent(at({ issue_number: one.number })));
});

step('link blockers', async () => {
  const create = (title) => body(octokit.rest.issues.create(at({ title })), 201);
  const [blocked, blocker] = [await create('blocked'), await create('blocker')];
  const on = at({ issue_number: blocked.number });
  await body(octokit.rest.issues.addBlockedByDependency({ ...on, issue_id: blocker.id }), 201);
  expect('blocked by', numbers(await body(octokit.rest.issues.listDependenciesBlockedBy(on))), [blocker.number]);
  const other = at({ issue_number: blocker.number });
  expect('blocking', numbers(await body(octokit.rest.issues.listDependenciesBlocking(other))), [blocked.number]);
  await refusal(422, octokit.rest.issues.addBlockedByDependency({ ...other, issue_id: blocked.id }));
  await body(octokit.rest.issues.removeDependencyBlockedBy({ ...on, issue_id: blocker.id }));
  expect('left', await body(octokit.rest.issues.listDependenciesBlockedBy(on)), []);
});

step('read events and timeline', async () => {
  const on = at({ issue_number: 1, per_page: 4 });
  const events = await octokit.paginate(octokit.rest.issues.listEvents, on);
  const kinds = events.map((event) => event.event);
  for (const kind of ['labeled', 'assigned', 'renamed', 'closed', 'reopened', 'unlabeled']) {
    expectThat('events', kinds.includes(kind), `${kind} among them`, kinds);
  }
  const timeline = await octokit.paginate(octokit.rest.issues.listEventsForTimeline, on);
  const commented = timeline.filter((entry) => entry.event === 'commented');
  expect('commented', commented.map((entry) => entry.body), ['one, edited']);
  const labeled = timeline.find((entry) => entry.event === 'labeled');
  expect('labeled by', labeled.actor.login, known.owner);
});

/** Writes a commit that changes one file. */
async function commitFile(parent, path, content, message) {
  const commit = await body(octokit.rest.git.getCommit(at({ commit_sha: parent })));
  const entry = { path, content, mode: '100644', type: 'blob' };
  const tree = await body(octokit.rest.git.createTree(at({ base_tree: commit.tree.sha, tree: [entry] })), 201);
  const made = octokit.rest.git.createCommit(at({ message, tree: tree.sha, parents: [parent] }));
  return (await body(made, 201)).sha;
}

step('create, move, list and delete refs', async () => {
  const { git } = octokit.rest;
  const read = async (ref) => (await body(git.getRef(at({ ref })))).object.sha;
  const start = await read('heads/main');
  const ahead = await commitFile(start, 'two.txt', 'two\n', 'second');
  await body(git.createRef(at({ ref: 'refs/baton/claims/1', sha: start })), 201);
  const taken = await refusal(422, git.createRef(at({ ref: 'refs/baton/claims/1', sha: ahead })));
  expect('message', taken.message, 'Reference already exists');
  const move = (sha, force) => git.updateRef(at({ ref: 'baton/claims/1', sha, force }));
  await body(move(ahead, false));
  expect('moved', await read('baton/claims/1'), ahead);
  const back = await refusal(422, move(start, false));
  expect('message', back.message, 'Update is not a fast forward');
  expect('unmoved', await read('baton/claims/1'), ahead);
  await body(move(start, true));
  expect('forced', await read('baton/claims/1'), start);
  await body(git.createRef(at({ ref: 'refs/baton/claims/2', sha: start })), 201);
  const matching = await octokit.paginate(git.listMatchingRefs, at({ ref: 'baton/claims/' }));
  expect('matching', matching.map((one) => one.ref), ['refs/baton/claims/1', 'refs/baton/claims/2']);
  await nothing(git.deleteRef(at({ ref: 'baton/claims/1' })));
  await refusal(404, git.getRef(at({ ref: 'baton/claims/1' })));
  const gone = await refusal(422, git.deleteRef(at({ ref: 'baton/claims/1' })));
  expect('message', gone.message, 'Reference does not exist');
  Object.assign(known, { start, ahead });
});

step('write and read a file', async () => {
  const { repos } = octokit.rest;
  const put = (text, fields) => {
    const content = Buffer.from(text).toString('base64');
    return repos.createOrUpdateFileContents(at({ path: 'docs/a file.txt', message: 'write', content, ...fields }));
  };
  await body(octokit.rest.git.createRef(at({ ref: 'refs/heads/files', sha: known.start })), 201);
  const created = await body(put('one\n', { branch: 'files' }), 201);
  const get = () => repos.getContent(at({ path: 'docs/a file.txt', ref: 'files' }));
  expect('content', Buffer.from((await body(get())).content, 'base64').toString(), 'one\n');
  const raw = await body(repos.getContent(at({ path: 'docs/a file.txt', ref: 'files', mediaType: { format: 'raw' } })));
  expect('raw', raw, 'one\n');
  await refusal(409, put('two\n', { branch: 'files', sha: known.start }));
  await body(put('two\n', { branch: 'files', sha: created.content.sha }));
  const compared = await body(repos.compareCommitsWithBasehead(at({ basehead: 'main...files' })));
  expect('compared', [compared.status, compared.ahead_by, compared.files.length], ['ahead', 2, 1]);
});

step('open and merge a pull request', async () => {
  const { pulls } = octokit.rest;
  const goal = await body(octokit.rest.issues.create(at({ title: 'to be closed by a merge' })), 201);
  await body(octokit.rest.git.createRef(at({ ref: 'refs/heads/feature', sha: known.ahead })), 201);
  const fields = { title: 'a feature', head: 'feature', base: 'main', body: `Resolves #${goal.number}` };
  const pull = await body(pulls.create(at(fields)), 201);
  const on = at({ pull_number: pull.number });
  expect('by head', numbers(await body(pulls.list(at({ head: `${known.owner}:feature` })))), [pull.number]);
  const twice = await refusal(422, pulls.create(at(fields)));
  const message = `A pull request already exists for ${known.owner}:feature.`;
  expect('errors', twice.errors.map((error) => error.message), [message]);
  const ready = await waitUntil('mergeable is known', async () => {
    const one = await body(pulls.get(on));
    return one.mergeable !== null && one;
  });
  expect('mergeable', ready.mergeable, true);
  const moved = await refusal(409, pulls.merge({ ...on, sha: known.start }));
  expect('message', moved.message, 'Head branch was modified. Review and try the merge again.');
  const merged = await body(pulls.merge({ ...on, sha: known.ahead }));
  expect('merged', merged.merged, true);
  expect('main', (await body(octokit.rest.git.getRef(at({ ref: 'heads/main' })))).object.sha, merged.sha);
  const closed = await body(octokit.rest.issues.get(at({ issue_number: goal.number })));
  expect('issue', [closed.state, closed.state_reason], ['closed', 'completed']);
  await nothing(pulls.checkIfMerged(on));
  expect('message', (await refusal(405, pulls.merge(on))).message, 'Pull Request is not mergeable');
  known.pull = pull.number;
});

step('search issues', async () => {
  const search = (terms) =>
    octokit.paginate(octokit.rest.search.issuesAndPullRequests, {
      q: `repo:${known.owner}/${REPO} ${terms}`,
      per_page: 10,
    });
  expect('label', numbers(await search('is:issue label:bug')), [1]);
  expect('pages', numbers(await search('is:issue label:duplicate')).length, known.pages.length);
  expect('text', numbers(await search('is:issue "to be closed by a merge" is:closed')).length, 1);
  expect('merged', numbers(await search('is:pr is:merged')), [known.pull]);
});

step('let others do what they may', async () => {
  const { issues, repos } = octokit.rest;
  const hidden = { owner: known.owner, repo: PRIVATE };
  expect('message', (await refusal(404, second.rest.repos.get(hidden))).message, 'Not Found');
  const issue = await body(second.rest.issues.create(at({ title: "a stranger's" })), 201);
  expect('association', issue.author_association, 'NONE');
  const add = () => second.rest.issues.addLabels(at({ issue_number: issue.number, labels: ['bug'] }));
  expect('message', (await refusal(403, add())).message, 'Must have admin rights to Repository.');
  await nothing(repos.addCollaborator({ ...hidden, username: user2, permission: 'pull' }));
  const low = await body(repos.getCollaboratorPermissionLevel({ ...hidden, username: user2 }));
  expect('level', [low.permission, low.role_name], ['read', 'read']);
  expect('seen', (await body(second.rest.repos.get(hidden))).permissions.push, false);
  await nothing(repos.addCollaborator(at({ username: user2, permission: 'triage' })));
  const level = await body(repos.getCollaboratorPermissionLevel(at({ username: user2 })));
  expect('level', [level.permission, level.role_name], ['read', 'triage']);
  expect('labels', names(await body(add())), ['bug']);
  const read = await body(issues.get(at({ issue_number: issue.number })));
  expect('association', read.author_association, 'COLLABORATOR');
  await nothing(repos.removeCollaborator({ ...hidden, username: user2 }));
  await refusal(404, second.rest.repos.get(hidden));
  await nothing(repos.delete(hidden));
});

step('ask only for what has changed, and be charged only for that', async () => {
  const get = (headers) => octokit.rest.issues.get(at({ issue_number: 1, headers }));
  const used = (response) => Number(response.headers['x-ratelimit-used']);
  const first = await get();
  const same = await get({ 'if-none-match': first.headers.etag }).catch((error) => error);
  expect('status', same.status, 304);
  expect('used', used(same.response), used(first));
  expect('used by a whole answer', used(await get()), used(first) + 1);
  await body(octokit.rest.issues.update(at({ issue_number: 1, body: 'changed for the tag' })));
  const changed = await get({ 'if-none-match': first.headers.etag });
  expect('body', changed.data.body, 'changed for the tag');
  expectThat('etag', changed.headers.etag !== first.headers.etag, 'another one', changed.headers.etag);
});

step('write the address that was used into every answer', async () => {
  for (const [client, api] of [
    [octokit, base],
    [versioned, `${base}/api/v3`],
  ]) {
    const { rest } = client;
    const [one, pull] = [at({ issue_number: 1 }), at({ pull_number: known.pull })];
    const answers = {
      root: rest.meta.root(),
      user: rest.users.getAuthenticated(),
      repository: rest.repos.get(at()),
      issue: rest.issues.get(one),
      issues: rest.issues.listForRepo(at({ state: 'all' })),
      comments: rest.issues.listComments(one),
      labels: rest.issues.listLabelsForRepo(at()),
      events: rest.issues.listEvents(one),
      timeline: rest.issues.listEventsForTimeline(one),
      'events of the repository': rest.issues.listEventsForRepo(at()),
      'pull request': rest.pulls.get(pull),
      'pull requests': rest.pulls.list(at({ state: 'all' })),
      ref: rest.git.getRef(at({ ref: 'heads/main' })),
      branch: rest.repos.getBranch(at({ branch: 'main' })),
      commit: rest.repos.getCommit(at({ ref: 'main' })),
      comparison: rest.repos.compareCommitsWithBasehead(at({ basehead: 'main...files' })),
      contents: rest.repos.getContent(at({ path: 'docs', ref: 'files' })),
      collaborators: rest.repos.listCollaborators(at()),
      search: rest.search.issuesAndPullRequests({ q: `repo:${known.owner}/${REPO} is:issue` }),
    };
    for (const [what, answer] of Object.entries(answers)) {
      expectOwnAddresses(`${what} at ${api}`, await body(answer), api);
    }
    const issue = await body(rest.issues.get(one));
    expect('url', issue.url, `${api}/repos/${known.owner}/${REPO}/issues/1`);
    expect('followed', (await body(client.request(`GET ${issue.comments_url}`))).length, 1);
  }
});

function describe(error) {
  const refused = `expected: an answer\n      got:      ${error.status ?? 'no status'}: ${error.message}`;
  const what = error instanceof Deviation ? error.message : refused;
  return `      ${what}\n      at:       octokit_flow.mjs:${lineOf(error, FLOW_STARTS) ?? '?'}`;
}

// With CONTRACT_KEEP_GOING=1 the steps after a failed one are run as well.
for (const { name, run } of steps) {
  try {
    await run();
    console.log(`ok  ${name}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`FAIL  ${name}`);
    console.error(describe(error));
    if (process.env.CONTRACT_KEEP_GOING !== '1') break;
  }
}

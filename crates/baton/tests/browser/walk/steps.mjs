// What a person does with the dashboard, step by step. Each step waits for what it expects, and fails with what it saw.

import assert from 'node:assert/strict';

import { SOON_MS } from './browser.mjs';

/** A word that only a page which was never loaded again still knows. */
const MARKER = 'same-document';

const cards = () =>
  Object.fromEntries(
    [...document.querySelectorAll('[data-column] li.card')].map((card) => [card.id, card.closest('[data-column]').dataset.column]),
  );

/** Sees a card move to another column while the page stays the same. */
export async function cardMoves(page) {
  await page.goto('/');
  await page.locator('li.card').first().waitFor();
  await page.evaluate((marker) => { window.marker = marker; }, MARKER);
  const before = await page.evaluate(cards);
  const moved = await page.waitForFunction(
    (before) => {
      for (const card of document.querySelectorAll('[data-column] li.card')) {
        const column = card.closest('[data-column]').dataset.column;
        if (before[card.id] && before[card.id] !== column) return { card: card.id, from: before[card.id], to: column };
      }
      return null;
    },
    before,
    { timeout: SOON_MS },
  );
  assert.equal(await page.evaluate(() => window.marker), MARKER, 'the page was loaded again');
  const { card, from, to } = await moved.jsonValue();
  return `${card} went from ${from} to ${to} without a reload`;
}

/** Sees a page say when it is not up to date, or hears nothing, and when it is well again. */
export async function tellsWhenItIsNotLive(page) {
  const shows = (state, words) =>
    page.waitForFunction(
      ([state, words]) => {
        const sign = document.querySelector('#link');
        return sign.classList.contains(state) && sign.querySelector('.words').textContent === words;
      },
      [state, words],
      { timeout: SOON_MS },
    );
  const refuse = (route) => route.fulfill({ status: 503, body: 'out of reach' });
  await page.goto('/fleet');
  await shows('on', 'live');
  await page.route('**/fleet', refuse);
  await page.evaluate(() => document.body.dispatchEvent(new Event('relay-changed')));
  await shows('off', 'not up to date');
  await page.unroute('**/fleet');
  await shows('on', 'live');
  await page.route('**/events', refuse);
  await page.reload();
  await shows('off', 'not live');
  await page.unroute('**/events');
  await shows('on', 'live');
  const hide = (hidden) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  await hide(true);
  const listens = page.waitForRequest('**/events');
  await hide(false);
  await listens;
  return 'a page says that it is not up to date or not live, and is live again by itself';
}

/** Opens an issue from the board and reads why it stands where it stands. */
export async function opensIssue(page, issue) {
  await page.goto('/');
  const card = page.locator(`li.card[id="${issue}"]`);
  await card.waitFor();
  await card.locator('h3 a').click();
  await page.waitForURL((url) => url.pathname.startsWith('/issues/'));
  const why = page.locator('#why');
  await why.waitFor();
  const text = (await why.innerText()).replaceAll(/\s+/g, ' ').trim();
  assert.ok(text.length > 20, `the explanation says nothing: “${text}”`);
  return `why: ${text.slice(0, 120)}`;
}

/** Waits until the agent has answered what was said and asks for an approval: before that, a comment would end a pause at once. */
export async function isAskedForApproval(page) {
  await page.locator('form[action$="/orders/approve"]').first().waitFor({ state: 'attached' });
  return 'the plan waits for a person';
}

/** Gives an order on the page of an issue, and reads its result in place. */
export async function orders(page, order, fields = {}) {
  const form = page.locator(`form[action$="/orders/${order}"]`);
  await form.first().waitFor({ state: 'attached' });
  if (!(await form.isVisible())) await page.locator(`summary#order-${order}`).click();
  for (const [name, value] of Object.entries(fields)) await form.locator(`[name="${name}"]`).fill(value);
  await page.evaluate((marker) => { window.marker = marker; }, MARKER);
  await form.getByRole('button').click();
  const result = page.locator('#result .result');
  await result.waitFor();
  const said = (await result.innerText()).trim();
  assert.ok(said.startsWith('Done.'), `${order} was not done: ${said}`);
  assert.equal(await page.evaluate(() => window.marker), MARKER, `${order} loaded the page again`);
  // The next order must not be taken for this one.
  await page.evaluate(() => { document.querySelector('#result').replaceChildren(); });
  return `${order}: ${said}`;
}

/** Opens an issue on the pages of the forge. */
export async function opensForgeIssue(page, repo, { title, body, labels }) {
  await page.goto(`/forge/${repo}/issues`);
  await page.getByRole('link', { name: 'New issue' }).click();
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Description').fill(body);
  await page.getByLabel('Labels, separated by commas').fill(labels.join(', '));
  await page.getByRole('button', { name: 'Open issue' }).click();
  await page.getByText('The issue was opened.').waitFor();
  return new URL(page.url()).pathname;
}

/** Comments on an issue of the forge, and puts a label on and takes it off. */
export async function talksOnForgeIssue(page, path) {
  await page.goto(path);
  await page.getByRole('textbox', { name: 'Comment' }).fill('Said in a browser.');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await page.getByText('Your comment was added.').waitFor();
  assert.equal(await page.locator('article', { hasText: 'Said in a browser.' }).count(), 1);
  await page.getByLabel('Label to add').fill('from-the-browser');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('button', { name: 'Remove label from-the-browser' }).click();
  await page.getByText('The label was removed.').waitFor();
  return 'commented, labelled, unlabelled';
}

/** Comments on a line, settles the thread, comments, reviews and merges. */
export async function mergesPull(page, repo, number) {
  const path = `/forge/${repo}/pulls/${number}`;
  await page.goto(`${path}/files`);
  await page.locator('a[aria-label^="Comment on line "]').first().click();
  await page.locator('#line-note').fill('Is this the right word?');
  await page.locator('#line').getByRole('button', { name: 'Comment' }).click();
  await page.getByText('Your comment was added to the line.').waitFor();
  await page.getByRole('button', { name: 'Resolve' }).click();
  await page.getByText('The thread was resolved.').waitFor();

  await page.goto(path);
  await page.getByRole('textbox', { name: 'Comment' }).fill('Looks good to me.');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await page.getByText('Your comment was added.').waitFor();
  await page.getByLabel('What you think of it').fill('Well done.');
  await page.getByRole('radio', { name: /^Approve/ }).check();
  await page.getByRole('button', { name: 'Submit review' }).click();
  await page.getByText('Your review was submitted.').waitFor();
  await mergeable(page, path);
  await page.getByRole('button', { name: 'Merge pull request' }).click();
  await page.getByText('The pull request was merged.').waitFor();
  assert.match(await page.locator('#merge').innerText(), /Merged by /);
  return `${repo}#${number} was commented on, reviewed and merged`;
}

/** Loads the page until the forge says that nothing stands in the way. */
async function mergeable(page, path) {
  const until = Date.now() + SOON_MS;
  for (;;) {
    const said = await page.locator('#merge').innerText();
    if (said.includes('It can be merged.')) return;
    assert.ok(Date.now() < until, `it never became mergeable: ${said}`);
    await page.goto(path, { waitUntil: 'load' });
  }
}

/** Reads pages with scripts turned off. */
export async function readsWithoutScripts(page, pages) {
  for (const [name, path, words] of pages) {
    const answer = await page.goto(path, { waitUntil: 'load' });
    assert.equal(answer.status(), 200, `${name} without scripts`);
    const text = await page.locator('main').innerText();
    assert.match(text, words, `${name} without scripts says: ${text.slice(0, 400)}`);
  }
  return `${pages.length} pages are readable with scripts turned off`;
}

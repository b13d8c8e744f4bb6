// Walks a real browser through the dashboard.
//
// Run as: node main.mjs BASE_URL SHOTS PLAN, in the directory that contains node_modules. PLAN is JSON: `repo`, the issue to
// look at (`issue`), the run (`run`), and, where there is a forge, the pull request to merge (`pull`) and one to look at
// (`seenPull`). `only` names the steps to take.
//
// A step prints `ok  what it saw`; the first that fails prints `FAIL` and ends the walk with a code other than 0.

import { audit } from './audit.mjs';
import { Ear, launch } from './browser.mjs';
import * as steps from './steps.mjs';

const [base, shots, planText] = process.argv.slice(2);
const plan = JSON.parse(planText);
const { repo, issue, run } = plan;
const [, number] = issue.split('#');

const PAGES = [
  ['board', '/', /\w/],
  ['issue', `/issues/${repo}/${number}`, /\w/],
  ['runs', '/runs', /\w/],
  ...(run ? [['run', `/runs/${run}`, /\w/]] : []),
  ['fleet', '/fleet', /Workers|Fleet/i],
  ['reports', '/reports', /Report/i],
];
const FORGE_PAGES = [
  ['forge', '/forge', new RegExp(repo)],
  ['forge-issues', `/forge/${repo}/issues?state=all`, /Issues/],
  ['forge-issue', `/forge/${repo}/issues/${number}`, /opened this/],
  ['forge-new-issue', `/forge/${repo}/issues/new`, /New issue/],
  ['forge-pulls', `/forge/${repo}/pulls?state=all`, /Pull requests/],
  ['forge-pull', `/forge/${repo}/pulls/${plan.seenPull}`, /wants to merge/],
  ['forge-files', `/forge/${repo}/pulls/${plan.seenPull}/files`, /changed files/],
];
const pages = plan.seenPull ? [...PAGES, ...FORGE_PAGES] : PAGES;

const browser = await launch();
const ear = new Ear();
const began = Date.now();

async function step(name, walk) {
  if (plan.only && !plan.only.includes(name)) return undefined;
  const started = Date.now();
  try {
    const saw = await walk();
    console.log(`ok  ${name}: ${saw} (${Date.now() - started} ms)`);
    return saw;
  } catch (error) {
    console.log(`FAIL ${name} after ${Date.now() - started} ms\n${error.stack ?? error}`);
    await page.screenshot({ path: `${shots}/failed-${name}.png`, fullPage: true }).catch(() => {});
    console.log(`     at ${page.url()}\n     ${ear.troubles.join('\n     ')}`);
    await browser.close();
    process.exit(1);
  }
}

function must(problems) {
  if (problems.length > 0) throw new Error(`${problems.length} problems:\n  - ${problems.join('\n  - ')}`);
}

const context = await ear.context(browser, base, { viewport: { width: 1280, height: 900 } });
const page = await context.newPage();

await step('card-moves', () => steps.cardMoves(page));
if (plan.pull) {
  await step('merge', () => steps.mergesPull(page, repo, plan.pull));
}
let asked = issue;
await step('forge-issue', async () => {
  const path = await steps.opensForgeIssue(page, repo, plan.newIssue);
  asked = `${repo}#${path.split('/').at(-1)}`;
  return `${path}: ${await steps.talksOnForgeIssue(page, path)}`;
});
await step('open-issue', () => steps.opensIssue(page, asked));
await step('asked', () => steps.isAskedForApproval(page));
await step('pause', () => steps.orders(page, 'pause', { reason: 'a look first' }));
await step('resume', () => steps.orders(page, 'resume'));
await step('comment', () => steps.orders(page, 'comment', { text: 'Said on the dashboard.' }));
await step('approve', () => steps.orders(page, 'approve', { note: 'go on' }));

await step('no-scripts', async () => {
  const plain = await ear.context(browser, base, { javaScriptEnabled: false });
  const saw = await steps.readsWithoutScripts(await plain.newPage(), pages);
  await plain.close();
  return saw;
});
await step('not-live', async () => {
  // What is refused here on purpose is an error in the console too, so nobody listens to it.
  const unheard = await browser.newContext({ baseURL: base });
  const saw = await steps.tellsWhenItIsNotLive(await unheard.newPage());
  await unheard.close();
  return saw;
});
await step('audit', async () => {
  must(await audit(browser, ear, base, pages, shots));
  return `${pages.length} pages in light and dark, wide and narrow: nothing serious; pictures in ${shots}`;
});
await step('quiet', async () => {
  must(ear.troubles);
  return `${ear.requests} requests, all to this machine; no error in any console, and no policy violated`;
});
await browser.close();
console.log(`walked in ${Date.now() - began} ms`);

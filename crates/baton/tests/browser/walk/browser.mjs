// The browser, and an ear for everything that must not happen in it.
//
// Playwright and axe are taken from the directory that this is run in; the browser is the system's Chromium.

import { createRequire } from 'node:module';
import { readFileSync, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const resolve = createRequire(`${process.cwd()}/`).resolve;
const { chromium } = (await import(pathToFileURL(resolve('playwright-core')))).default;
export const AXE = readFileSync(resolve('axe-core/axe.min.js'), 'utf8');

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);
/** Long enough for anything that must happen, however busy the machine is. */
export const SOON_MS = 180_000;

function program() {
  const places = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, 'chromium'));
  const found = places.find((path) => existsSync(path));
  if (!found) throw new Error('there is no chromium on PATH: run `cargo xtask setup`, which installs it or names the package');
  return found;
}

export async function launch() {
  // Containers have neither the privileges of Chromium's own sandbox nor much shared memory; only our own pages are opened.
  return chromium.launch({ executablePath: program(), args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** What went wrong in pages, however they were opened. */
export class Ear {
  troubles = [];
  requests = 0;

  /** Opens a context whose pages are listened to. */
  async context(browser, base, options = {}) {
    const context = await browser.newContext({ baseURL: base, reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(SOON_MS);
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        console.error(`policy violated: ${event.violatedDirective} by ${event.blockedURI} ${event.sourceFile ?? ''}`);
      });
    });
    context.on('request', (request) => this.judge(request));
    context.on('console', (message) => this.hear(message));
    context.on('weberror', (error) => this.troubles.push(`an error in a script: ${error.error()}`));
    return context;
  }

  judge(request) {
    this.requests += 1;
    const { protocol, hostname } = new URL(request.url());
    const isLocal = protocol === 'data:' || protocol === 'blob:' || LOOPBACK.has(hostname);
    if (!isLocal) this.troubles.push(`a request to somebody else: ${request.url()}`);
  }

  hear(message) {
    if (message.type() !== 'error') return;
    // A refusal is shown in the page; that the browser notes its status as well is no defect.
    if (/the server responded with a status of 4(05|09|22)/.test(message.text())) return;
    this.troubles.push(`the console of ${message.page()?.url()}: ${message.text()} (${message.location().url})`);
  }
}

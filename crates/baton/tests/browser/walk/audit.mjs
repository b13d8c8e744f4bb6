// Judges pages: axe, no horizontal scrolling, and a picture of each.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { AXE } from './browser.mjs';

const SIZES = [
  { name: 'wide', viewport: { width: 1280, height: 900 } },
  { name: 'phone', viewport: { width: 390, height: 844 } },
];

/** Looks at every page in both colour schemes and both widths; returns what is wrong. */
export async function audit(browser, ear, base, pages, shots) {
  mkdirSync(shots, { recursive: true });
  const looks = [];
  for (const scheme of ['light', 'dark']) {
    for (const size of SIZES) looks.push({ scheme, size });
  }
  const found = await Promise.all(looks.map((look) => auditAll(browser, ear, base, pages, shots, look)));
  return found.flat();
}

async function auditAll(browser, ear, base, pages, shots, { scheme, size }) {
  const context = await ear.context(browser, base, { colorScheme: scheme, viewport: size.viewport });
  const wrong = [];
  try {
    const page = await context.newPage();
    for (const [name, path] of pages) {
      const where = `${name} (${path}) in ${scheme}, ${size.name}`;
      const answer = await page.goto(path, { waitUntil: 'load' });
      if (answer.status() !== 200) wrong.push(`${where}: answered with ${answer.status()}`);
      wrong.push(...(await judge(page)).map((problem) => `${where}: ${problem}`));
      await page.screenshot({ path: join(shots, `${name}-${scheme}-${size.name}.png`), fullPage: true });
    }
  } finally {
    await context.close();
  }
  return wrong;
}

async function judge(page) {
  const wrong = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth ? [`it is ${scrollWidth} px wide in a window of ${clientWidth} px`] : [];
  });
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return wrong.concat(grave.map(told));
}

function told({ id, impact, help, nodes }) {
  const places = nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${(node.failureSummary ?? '').replaceAll('\n', ' ')}`);
  return `${impact}: ${id}: ${help}\n      ${places.join('\n      ')}`;
}

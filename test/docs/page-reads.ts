import type { Sources } from './rooms.js';

/** Reads of a page that are not repeated until they are as wanted. */
const READ = String.raw`(?<!\bPromise)\.(?:all|allInnerTexts|allTextContents|ariaSnapshot|boundingBox|content|count|evaluate|evaluateAll|getAttribute|innerHTML|innerText|inputValue|is(?:Checked|Disabled|Editable|Enabled|Hidden|Visible)|textContent|title)\(`;
/** Reads that may come before the page is drawn, and so find a list that is short or empty. */
const LISTS = String.raw`(?<!\bPromise)\.(?:all|allInnerTexts|allTextContents|count)\(`;

const EXPECTED = new RegExp(
  String.raw`\bexpect\((?:(?!\bexpect\()[^;])*?(?:\bawait\s(?:(?!\)\.(?:not\.)?to[A-Z])[^;])*?${READ}|\bpage\.url\(\))`,
  'g',
);
const KEPT = new RegExp(String.raw`(?:\bconst\s[^=;]*=\s*|\bfor\s*\(const\s[^;]*?\sof\s)\(*await\s[^;=]*?${LISTS}`, 'g');
const PAUSE = /\bwaitForTimeout\(/g;

const SPEC = /^test\/console\/.*e2e-spec\.ts$/;

/** Places in suites of pages that read once what a page shows, or that wait for a time: `file:line`. */
export const readOnce = (sources: Sources): readonly string[] =>
  [...sources]
    .filter(([file]) => SPEC.test(file))
    .flatMap(([file, text]) =>
      [EXPECTED, KEPT, PAUSE].flatMap((pattern) =>
        [...text.matchAll(pattern)].map(({ index }) => `${file}:${text.slice(0, index).split('\n').length}`),
      ),
    );

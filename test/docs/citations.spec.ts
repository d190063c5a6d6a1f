import { describe, expect, it } from '@jest/globals';
import { citationsIn, commentsIn, dangling, pathsIn } from './citations.js';
import { codeIn, linksIn, targetsIn } from './markdown.js';

const placesOf = (text: string) => citationsIn(text).map(({ document, place }) => (place ? `${document} ${place}` : document));

describe('citations', () => {
  it.each([
    ['(status contract 3.2).', ['contracts/status.md 3.2']],
    [
      'Messaging contract 4.3, 4.5; design 8, O5',
      ['contracts/messaging.md 4.3', 'contracts/messaging.md 4.5', 'design.md 8', 'design.md O5'],
    ],
    ['accounting contract 4.4 to 4.7', ['contracts/accounting.md 4.4', 'contracts/accounting.md 4.7']],
    ['extended status contract 2, extended contract 3.5', ['contracts/status-extended.md 2', 'contracts/status-extended.md 3.5']],
    ['Status contract of 2026, 7', ['contracts/status-2026.md 7']],
    ['messaging contract, U02', ['contracts/messaging.md U02']],
    ['operations contract 1; docs/decisions/0018', ['contracts/operations.md 1', 'decisions/0018']],
    ['design.md section 9, decision 0001', ['design.md 9', 'decisions/0001']],
    [
      '@throws MessagingError B22 to B25, I08 when',
      ['contracts/messaging.md B22', 'contracts/messaging.md B25', 'contracts/messaging.md I08'],
    ],
    ['the status contract, 30 seconds of a contract suite', ['contracts/status.md 30']],
    ['the status contract and its order', []],
  ])('are found in %j', (text, places) => expect(placesOf(text)).toEqual(places));

  it.each([
    ['as in contract 3.4', ['contract 3']],
    ["in the order of the contract's table (3.11)", ["contract's table (3.11)"]],
    ['the checks of the contract (3.4) that follow', ['contract (3.4)']],
    ['see ../shared/design.md and shared/spec/x.md', ['../shared/design', 'shared/spec']],
    ['a contract suite (one per port), libs/domain/src/shared/clock.ts', []],
    ['the status contract (all of it)', []],
  ])('that lead nowhere are found in %j', (text, found) => expect(dangling(text)).toEqual(found));

  it('name files of the repository', () =>
    expect(pathsIn('docs/limits.md, `libs/x/src` and apps/api/src/<service>, test/**, /docs, docs/decisions/0018.')).toEqual([
      'docs/limits.md',
      'libs/x/src',
    ]));

  it('are read in comments only, whatever their lines', () =>
    expect(commentsIn("/**\n * as in (status\n * contract 1.4).\n */\nconst a = 'http://x'; // one\n// two\n")).toEqual([
      '/** as in (status contract 1.4). */',
      '// one two',
    ]));
});

describe('Markdown', () => {
  const text = [
    '# The title',
    '## 3. Dated `resources` (all)',
    '### 3.10 More',
    '## Limits',
    '## Limits',
    '```',
    '# 9 no heading, [no](link.md)',
    '```',
    '| <a id="B09"></a>B09 | x |',
    '| O1 | y |',
    '| `E400J` malformed | z |',
    'See [here](a.md#b), [there](https://x.org) and `[code](c.md)`.',
  ].join('\n');

  it('can be cited by sections, anchors and ids of rows', () => {
    const { sections, anchors, ids } = targetsIn(text);
    expect([...sections]).toEqual(['3', '3.10']);
    expect([...anchors]).toEqual(['the-title', '3-dated-resources-all', '310-more', 'limits', 'limits-1', 'B09']);
    expect([...ids]).toEqual(['B09', 'O1', 'E400J']);
  });

  it('has links and pieces of code', () => {
    expect(linksIn(text)).toEqual(['a.md#b']);
    expect(codeIn(text)).toEqual(['resources', 'E400J', '[code](c.md)']);
  });
});

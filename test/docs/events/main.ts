import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { eventDocuments } from './documents.js';

/** `npm run docs:events`: writes docs/events.md and docs/events. */
for (const [path, text] of Object.entries(eventDocuments().files)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

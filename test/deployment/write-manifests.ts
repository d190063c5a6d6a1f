import { writeFileSync } from 'node:fs';
import { findHelm, manifests } from './chart.js';

/** `npm run manifests`: writes the files of deploy/kubernetes that come from the chart. */
const helm = findHelm();
if (helm === undefined) throw new Error('there is no helm on the PATH');
for (const [path, text] of manifests(helm)) writeFileSync(path, text);

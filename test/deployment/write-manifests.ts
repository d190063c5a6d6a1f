import { writeFileSync } from 'node:fs';
import { findHelm, manifests, rulesOfChart } from './chart.js';

/** `npm run manifests`: writes the chart's copy of the alert rules, and the files of deploy/kubernetes that come from the chart. */
const helm = findHelm();
if (helm === undefined) throw new Error('there is no helm on the PATH');
writeFileSync(...rulesOfChart());
for (const [path, text] of manifests(helm)) writeFileSync(path, text);

#!/usr/bin/env node
/** The command line `logbook <command> …`: brings a checkout up to date, then runs apps/operator/src/main.ts in this process, which reads the same argv. */
import { ensure } from './ensure.mjs';

await ensure({ running: true });
process.setSourceMapsEnabled(true);
await import('../dist/server/cli.js');

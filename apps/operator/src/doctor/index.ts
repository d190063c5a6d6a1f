import type { Command } from 'commander';
import { addCommand, DONE, FAILED } from '../frame.js';
import { OpsClient } from '../ops-client.js';
import { aligned, oneLine } from '../tables.js';
import { checkInstallation } from './installation-checks.js';
import { checkServer } from './server-checks.js';

export const addDoctorCommand = (program: Command): void => {
  addCommand(program, {
    name: 'doctor',
    description: 'checks configuration, stores, permissions, disk, clock, chain and last anchor, and says what to do; changes nothing',
    example: 'logbook doctor',
    run: async () => {
      const server = OpsClient.of(process.env);
      const items = await (server ? checkServer(server) : checkInstallation(process.env));
      const text = aligned(items.map(({ check, ok, detail }) => [check, oneLine(`${ok ? 'ok' : 'WRONG'}${detail ? `: ${detail}` : ''}`)]));
      return { value: { items }, text, code: items.every(({ ok }) => ok) ? DONE : FAILED };
    },
  });
};

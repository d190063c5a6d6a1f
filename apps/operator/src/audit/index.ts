import { createPublicKey, hash, verify as verifySignature } from 'node:crypto';
import type { Command } from 'commander';
import { Problem } from '#api/ops-kit/problem.js';
import type { Runtime } from '#api/runtime/runtime.js';
import { checkProof, isProof, type ProofCrypto } from '#domain/integrity/proof.js';
import { DamagedCopy } from '#infra/edges/copies/damaged-copy.js';
import { ChainBehind } from '#infra/engine/integrity/integrity.js';
import type { KeptAnchor } from '#infra/engine/integrity/verification/anchor-feed.js';
import { beginVerification, detailsOf, type VerificationDetails, walkBack } from '#infra/engine/integrity/verification/state.js';
import { LogVerification } from '#infra/engine/integrity/verification/verification.js';
import { keysOfLog } from '#infra/engine/integrity/verification/verification-kind.js';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import { CommandFailed, WrongUsage } from '../command-failed.js';
import { addCommand, type CommandCall, type CommandOutcome, DONE, FOUND, type OnStores, serverOf } from '../frame.js';
import { isObject, jsonFile, keysIn } from '../json-files.js';
import { type OpsClient, queryOf } from '../ops-client.js';
import { progressPrinter } from '../progress.js';
import { withLogAtRest } from './log-at-rest.js';
import { PERSONAL, type PersonalOption, withPersonal } from './personal-option.js';

type VerifyOptions = Readonly<{ from?: string; anchors?: string; keys?: string }>;

/** Anchors kept by an auditor: `{ "items" }` as returned by `/audit/anchors`, or a single one. @throws WrongUsage */
const anchorsIn = (file: string): readonly KeptAnchor[] => {
  const value = jsonFile(file);
  const list = isObject(value) && Array.isArray(value.items) ? value.items : [value].flat();
  return list.map((anchor) => {
    if (!isObject(anchor) || !Number.isSafeInteger(anchor.size) || !/^[0-9a-f]{64}$/.test(String(anchor.root))) {
      throw new WrongUsage(`error: ${file} contains something that is not an anchor with size and root`);
    }
    return { size: Number(anchor.size), root: String(anchor.root) };
  });
};

const sizeIn = (text: string | undefined): number => {
  if (text === undefined) return 0;
  if (!/^(0|[1-9]\d{0,14})$/.test(text)) throw new WrongUsage('error: --from must be the size of an anchor');
  return Number(text);
};

const outcomeOf = (found: VerificationDetails & Readonly<Record<string, unknown>>): CommandOutcome => {
  const { problem, verifiedTo, root, expired } = found;
  if (problem) return { value: found, code: FOUND, message: `damage found: ${problem.kind} at index ${problem.index}: ${problem.detail}` };
  return {
    value: found,
    text: `intact: ${verifiedTo} events, root ${root}${expired > 0 ? `, ${expired} of them without their data, which expired as configured: hashes prove them` : ''}`,
    code: DONE,
  };
};

const verifyAtRest = (from: number, anchors: readonly KeptAnchor[], keys: string | undefined): Promise<CommandOutcome> =>
  withLogAtRest(loadConfiguration(process.env), async (store) => {
    const { gone, signal } = walkBack();
    const publicKeys = keys === undefined ? await keysOfLog(store) : keysIn(keys);
    const state = await beginVerification(store, from, { gone, signal });
    const printer = progressPrinter();
    const report = (now: typeof state): void => printer.show('log', detailsOf(now, false));
    const verification = new LogVerification({ store, keys: publicKeys, anchors, state, gone, signal, report });
    const done = await verification.run().finally(printer.end);
    return outcomeOf(detailsOf(done, true));
  }).catch((error: unknown) => {
    if (error instanceof DamagedCopy) return unreadable(from, error.message);
    throw error;
  });

/** For a log so damaged that its events cannot be read one by one. */
const unreadable = (from: number, detail: string): CommandOutcome =>
  outcomeOf({
    processed: 0,
    total: 0,
    verifiedTo: from,
    root: null,
    expired: 0,
    intact: false,
    problem: { index: from, position: null, kind: 'unreadable', detail },
  });

const verify = async ({ options: { from, anchors, keys }, server }: CommandCall<VerifyOptions>): Promise<CommandOutcome> => {
  const [start, kept] = [sizeIn(from), anchors === undefined ? [] : anchorsIn(anchors)];
  if (kept.some(({ size }) => size < start)) throw new WrongUsage('error: --anchors has anchors of sizes below --from');
  const running = await server();
  if (!running) return verifyAtRest(start, kept, keys);
  if (keys !== undefined) throw new WrongUsage('error: --keys is for stores at rest; a server uses the keys of the log');
  return verifiedBy(running, start, kept);
};

const verifiedBy = async (server: OpsClient, start: number, kept: readonly KeptAnchor[]): Promise<CommandOutcome> => {
  const printer = progressPrinter();
  const job = await server
    .job<VerificationDetails>('/audit/verifications', { from: start, anchors: kept }, (state) => printer.show('log', state))
    .finally(printer.end);
  if (job.state !== 'done') throw new CommandFailed(`the verification is ${job.state}: ${job.failure?.message ?? ''}`);
  return outcomeOf(job);
};

const NODE_CRYPTO: ProofCrypto = {
  sha256: (bytes) => hash('sha256', bytes, 'buffer'),
  verifies: (key, signature, message) => {
    const x = Buffer.from(key).toString('base64url');
    return verifySignature(null, message, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), signature);
  },
};

const check = async ([file]: readonly unknown[], keys: string): Promise<CommandOutcome> => {
  const proof = jsonFile(String(file));
  if (!isProof(proof)) throw new WrongUsage(`error: ${file} is no proof`);
  const flaw = (await checkProof(proof, keysIn(keys), NODE_CRYPTO)).find((step) => step.flaw !== undefined)?.flaw;
  const { index, size, anchor } = proof;
  const value = { index, size, root: anchor.root, proven: flaw === undefined, problem: flaw ?? null };
  if (flaw !== undefined) return { value, code: FOUND, message: `nothing is proven: ${flaw}` };
  return { value, text: `proven: event ${index} is in the log of ${size} events with root ${anchor.root}` };
};

/** Answer of `GET` for a path; without a server, from the log. @throws CommandFailed */
const answerOf = (
  { either }: Pick<CommandCall<object>, 'either'>,
  path: string,
  atRest: (runtime: Runtime, onStores: OnStores) => Promise<object>,
): Promise<object> =>
  either<object>(
    (server) => server.get(path),
    async (runtime, onStores) => {
      try {
        return await atRest(runtime, onStores);
      } catch (error) {
        if (error instanceof Problem) throw new CommandFailed(error.detail);
        throw error instanceof ChainBehind ? new CommandFailed(error.message) : error;
      }
    },
  );

const addVerify = (audit: Command): void => {
  addCommand<VerifyOptions>(audit, {
    name: 'verify',
    description:
      'reads every event and compares leaves, roots and signatures; if a server has the log open, it does the work (with at most 1,000 anchors); at rest nothing is written',
    example: 'LOGBOOK_DATA_DIR=/copy logbook audit verify --anchors kept.json --keys jwks.json',
    configure: (command) =>
      command
        .option('--from <size>', 'size of an anchor (for a server, one of its own): earlier events are not read')
        .option('--anchors <file>', 'anchors that you have kept: JSON with size and root')
        .option('--keys <file>', 'JWK set that you have kept, used instead of the keys in the log'),
    run: verify,
  });
  addCommand<Readonly<{ keys: string }>>(audit, {
    name: 'check <proof>',
    description: 'checks the proof of one event, without stores or network',
    example: 'logbook audit check proof.json --keys jwks.json',
    configure: (command) => command.requiredOption('--keys <file>', 'JWK set of the installation'),
    run: ({ args, options: { keys } }) => check(args, keys),
  });
};

/** Adds commands to the group `audit`. */
export const addAuditCommands = (audit: Command): void => {
  addVerify(audit);
  addCommand<Readonly<Record<string, string>>>(audit, {
    name: 'anchors',
    description: 'signed statements of size and root of the log',
    example: 'logbook audit anchors --order desc --limit 1 --json',
    lists: ['size', 'time', 'position', 'root', 'keyId'],
    configure: (command) =>
      command.option('--order <order>', 'asc or desc').option('--after <size>', 'exclusive').option('--limit <count>', '1 to 1000'),
    run: async (call) => ({
      value: await answerOf(
        call,
        `/audit/anchors${queryOf(call.options)}`,
        async ({ integrity }, { AnchorQuery, AnchorsController, queryIn }) => {
          await integrity.readChain();
          return new AnchorsController(integrity).list(queryIn(AnchorQuery, call.options));
        },
      ),
    }),
  });
  addCommand(audit, {
    name: 'keys',
    description: 'the public keys of anchors, including former ones: a JWK set, to be kept for --keys',
    example: 'logbook audit keys > jwks.json',
    run: async (call) => {
      const value = await answerOf(call, '/audit/keys', ({ integrity }, { AnchorsController }) => new AnchorsController(integrity).keys());
      return { value, text: JSON.stringify(value) };
    },
  });
  addCommand(audit, {
    name: 'anchor',
    description: 'signs the current log',
    example: 'logbook audit anchor --json',
    run: async (call) => ({ value: await (await serverOf(call)).post('/audit/anchors') }),
  });
  addCommand<Readonly<{ size?: string }>>(audit, {
    name: 'proof <index>',
    description: 'the proof that an event is in the log of an anchor, to be kept for audit check',
    example: 'logbook audit proof 4711 > proof.json',
    configure: (command) => command.option('--size <size>', 'size of an anchor; default: the oldest one that covers the event'),
    run: async (call) => {
      const index = String(call.args[0]);
      const value = await answerOf(
        call,
        `/audit/events/${encodeURIComponent(index)}/proof${queryOf(call.options)}`,
        async ({ integrity, audit: events }, { ProofQuery, ProofsController, queryIn }) => {
          await integrity.readChain();
          return new ProofsController(integrity, events).proof({ index }, queryIn(ProofQuery, call.options));
        },
      );
      return { value, text: JSON.stringify(value) };
    },
  });
  addCommand<Readonly<Record<string, string>> & PersonalOption>(audit, {
    name: 'resource <service> <kind> <id>',
    description: 'the versions of a record',
    example: 'logbook audit resource messaging topic news --scope my-project --json',
    configure: (command) =>
      command
        .option('--scope <scope>', 'project or tenant of the record')
        .option('--order <order>', 'asc or desc')
        .option('--after <version>', 'exclusive')
        .option('--limit <count>', '1 to 100')
        .option(...PERSONAL),
    run: async (call) => ({
      value: await (await serverOf(call)).getExact(
        `/audit/resources/${call.args.map((arg) => encodeURIComponent(String(arg))).join('/')}${queryOf(withPersonal(call.options))}`,
      ),
    }),
  });
};

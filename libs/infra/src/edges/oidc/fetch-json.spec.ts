import { describe, expect, it } from '@jest/globals';
import { HttpSender } from '#infra/platform/outgoing/http-sender.js';
import { IssuerDocuments, type Network } from './fetch-json.js';

const ISSUER = 'https://idp.example.org';
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'keys.example.org': ['8.8.8.8', '2a00:1450:4001::1'],
  'keys.inside.example.org': ['10.0.0.2', 'fd00::2'],
  'both.example.org': ['8.8.8.8', '10.0.0.2'],
};
const inWorldWhere = (...issuer: readonly string[]): Network => ({
  addressesOf: async (host) => (ISSUER.endsWith(host) ? issuer : (NAMES[host] ?? [host])),
  senderWithin: (reach) => new HttpSender(reach),
});
const documentsAt = (...addresses: readonly string[]) => IssuerDocuments.of(ISSUER, inWorldWhere(...addresses));

describe('documents of an issuer', () => {
  it.each([[['8.8.8.8', '10.0.0.1']], [['10.0.0.1', '8.8.8.8']], [['8.8.8.8', '2a00:1450:4001::1', '::1']]])(
    'whose name has one private address beside public ones are not fetched: %j',
    (addresses) => expect(documentsAt(...addresses)).rejects.toThrow(`${ISSUER} has public and private addresses`),
  );

  it.each([
    ['8.8.8.8', 'https://127.0.0.1/keys', '127.0.0.1 has no public address'],
    ['8.8.8.8', 'https://[::1]/keys', '::1 has no public address'],
    ['8.8.8.8', 'https://localhost/keys', 'localhost has no public address'],
    ['8.8.8.8', 'http://127.0.0.1/keys', 'is not https as its issuer is'],
    ['10.0.0.1', 'http://127.0.0.1/keys', 'is not https as its issuer is'],
    ['10.0.0.1', 'http://8.8.8.8/keys', 'is neither https nor http on this machine'],
    ['10.0.0.1', 'https://both.example.org/keys', 'has public and private addresses'],
  ])('at %s are not fetched from %s', async (address, url, reason) => {
    const documents = await documentsAt(address);
    try {
      await expect(documents.named(url)).rejects.toThrow(reason);
    } finally {
      documents.close();
    }
  });

  it.each([
    ['8.8.8.8', 'https://keys.example.org/keys', ['public', 'public']],
    ['8.8.8.8', 'https://keys.inside.example.org/keys', ['public', 'public']],
    ['10.0.0.1', 'https://keys.inside.example.org/keys', ['private', 'private']],
    ['10.0.0.1', 'https://keys.example.org/keys', ['private', 'public']],
    ['10.0.0.1', 'https://8.8.8.8/keys', ['private', 'public']],
  ])('at %s: requests for the discovery document and for %s are held to %j addresses', async (address, url, reaches) => {
    const sent: string[] = [];
    const documents = await IssuerDocuments.of(ISSUER, {
      ...inWorldWhere(address),
      senderWithin: (reach) => ({
        send: async (outgoing) => {
          sent.push(`${reach} ${outgoing.url}`);
          return { status: 200, body: Buffer.from('{}') };
        },
        close: () => {},
      }),
    });
    await documents.discovery();
    await documents.named(url);
    expect(sent).toEqual([`${reaches[0]} ${ISSUER}/.well-known/openid-configuration`, `${reaches[1]} ${url}`]);
  });
});

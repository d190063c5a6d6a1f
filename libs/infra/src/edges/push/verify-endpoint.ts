import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';
import { failureText, type HttpSender } from '#infra/platform/outgoing/http-sender.js';

const PATH = '/ams_verification_hash';
const TIMEOUT_MS = 10_000;

const addressOf = (endpoint: string): string | undefined => {
  if (!URL.canParse(endpoint)) return undefined;
  const { protocol, host } = new URL(endpoint);
  return `${protocol}//${host}${PATH}`;
};

/**
 * Asks the host of a push endpoint for the verification hash of the subscription, which only the owner of the host can make it answer.
 * Returns why the endpoint is not verified (messaging contract, U02), or `undefined` if it is. `owner`: its project.
 */
export const verifyEndpoint = async (
  { pushEndpoint, verificationHash }: Pick<PushConfiguration, 'pushEndpoint' | 'verificationHash'>,
  sender: Pick<HttpSender, 'send'>,
  owner: string,
): Promise<string | undefined> => {
  const url = addressOf(pushEndpoint);
  if (url === undefined) return 'Could not retrieve push endpoint host';
  try {
    const expected = Buffer.from(verificationHash);
    const { status, body } = await sender.send({ method: 'GET', url, timeoutMs: TIMEOUT_MS, maxBodyBytes: expected.length, owner });
    if (status !== 200) return 'Wrong response status code';
    return body.equals(expected) ? undefined : 'Wrong verification hash';
  } catch (error) {
    return failureText(error);
  }
};

import { DomainError } from '#domain/shared/decider.js';

/** Push settings as on the wire, including defaults (messaging contract 3.7, 4.9). `period`: milliseconds, 0 = none. */
export type PushConfiguration = Readonly<{
  type: 'http_endpoint' | 'mattermost';
  pushEndpoint: string;
  maxMessages: number;
  authorization: Readonly<{ type: 'autogen' | 'disabled' | ''; value: string }>;
  retryPolicy: Readonly<{ type: 'linear' | 'slowstart'; period: number }>;
  verificationHash: string;
  verified: boolean;
  mattermostUrl: string;
  mattermostUsername: string;
  mattermostChannel: string;
  base64Decode: boolean;
}>;

/** Push settings requested by a caller. Empty texts and zeros stand for absent members. `undefined`: absent flag. */
export type PushRequest = Readonly<{
  type: string;
  pushEndpoint: string;
  maxMessages: number;
  authorizationType: string;
  retryPolicyType: string;
  /** Milliseconds. */
  retryPeriod: number;
  mattermostUrl: string;
  mattermostUsername: string;
  mattermostChannel: string;
  base64Decode: boolean | undefined;
}>;

/** Random values, generated with the command and used where the rules require new ones. */
export type PushSecrets = Readonly<{ verificationHash: string; authorizationValue: string }>;

/** `plainHttp`: endpoints may also use `http`. */
export type PushRules = Readonly<{ plainHttp: boolean }>;

const DEFAULT_PERIOD = 3_000;
/** Maximum characters of a text. Push reads all settings again whenever resources change. */
const LONGEST_TEXT = 2_048;

/** An absolute URL with a host, in the syntax of RFC 3986. URL parsers are more lenient than that. */
const ABSOLUTE = /^(https?):\/\/[^/?#\\]/i;
const UNSPELLABLE = /[^\x21-\x7e\u0080-\uffff]|%(?![0-9a-f]{2})/i;

const isEndpoint = (text: string, { plainHttp }: PushRules): boolean => {
  const scheme = ABSOLUTE.exec(text)?.[1]?.toLowerCase();
  return scheme !== undefined && (scheme === 'https' || plainHttp) && !UNSPELLABLE.test(text) && URL.canParse(text);
};

/** A lone endpoint means `http_endpoint`: the Python client never sends a type. */
const typeOf = ({ type, pushEndpoint }: PushRequest): PushConfiguration['type'] => {
  if (type === 'http_endpoint' || type === 'mattermost') return type;
  if (type === '' && pushEndpoint !== '') return 'http_endpoint';
  throw new DomainError('PUSH_TYPE_INVALID');
};

const retryPolicyOf = ({ retryPolicyType, retryPeriod }: PushRequest): PushConfiguration['retryPolicy'] => {
  if (retryPolicyType === 'slowstart') return { type: 'slowstart', period: 0 };
  if (retryPolicyType !== 'linear' && retryPolicyType !== '') throw new DomainError('PUSH_RETRY_POLICY_INVALID');
  return { type: 'linear', period: retryPeriod > 0 ? retryPeriod : DEFAULT_PERIOD };
};

const authorizationOf = (
  { authorizationType }: PushRequest,
  previous: PushConfiguration | null,
  { authorizationValue }: PushSecrets,
): PushConfiguration['authorization'] => {
  switch (authorizationType) {
    case 'autogen':
      return { type: 'autogen', value: authorizationValue };
    case 'disabled':
      return { type: 'disabled', value: '' };
    case '':
      if (previous === null) return { type: 'autogen', value: authorizationValue };
      return previous.authorization.type === 'autogen' ? previous.authorization : { type: 'disabled', value: '' };
    default:
      throw new DomainError('PUSH_AUTHORIZATION_INVALID');
  }
};

const NO_MATTERMOST = { mattermostUrl: '', mattermostUsername: '', mattermostChannel: '' };

const httpEndpoint = (
  request: PushRequest,
  previous: PushConfiguration | null,
  secrets: PushSecrets,
  rules: PushRules,
): Omit<PushConfiguration, 'retryPolicy' | 'base64Decode'> => {
  const { pushEndpoint, maxMessages } = request;
  if (!isEndpoint(pushEndpoint, rules)) throw new DomainError('PUSH_ENDPOINT_INVALID');
  const unchanged = previous?.type === 'http_endpoint' && previous.pushEndpoint === pushEndpoint;
  return {
    type: 'http_endpoint',
    pushEndpoint,
    maxMessages: maxMessages > 0 ? maxMessages : (previous?.maxMessages ?? 1),
    authorization: authorizationOf(request, previous, secrets),
    verificationHash: unchanged ? previous.verificationHash : secrets.verificationHash,
    verified: unchanged && previous.verified,
    ...NO_MATTERMOST,
  };
};

const mattermost = ({
  mattermostUrl,
  mattermostUsername,
  mattermostChannel,
}: PushRequest): Omit<PushConfiguration, 'retryPolicy' | 'base64Decode'> => {
  if (mattermostUrl === '') throw new DomainError('PUSH_MATTERMOST_URL_MISSING');
  return {
    type: 'mattermost',
    pushEndpoint: '',
    maxMessages: 1,
    authorization: { type: '', value: '' },
    verificationHash: '',
    verified: true,
    mattermostUrl,
    mattermostUsername,
    mattermostChannel,
  };
};

/** @throws DomainError `PUSH_TEXT_TOO_LONG` */
const requireShortTexts = ({ pushEndpoint, mattermostUrl, mattermostUsername, mattermostChannel }: PushRequest): void => {
  const texts = [pushEndpoint, mattermostUrl, mattermostUsername, mattermostChannel];
  if (texts.some(({ length }) => length > LONGEST_TEXT)) throw new DomainError('PUSH_TEXT_TOO_LONG');
};

/**
 * The configuration of a new push subscription (messaging contract 4.9).
 * @throws DomainError in this order: `PUSH_TEXT_TOO_LONG`, `PUSH_TYPE_INVALID`, or `PUSH_ENDPOINT_INVALID` and `PUSH_AUTHORIZATION_INVALID`, or
 *   `PUSH_MATTERMOST_URL_MISSING`; then `PUSH_RETRY_POLICY_INVALID`
 */
export const newPushConfiguration = (request: PushRequest, secrets: PushSecrets, rules: PushRules): PushConfiguration => {
  requireShortTexts(request);
  const settings = typeOf(request) === 'mattermost' ? mattermost(request) : httpEndpoint(request, null, secrets, rules);
  return { ...settings, retryPolicy: retryPolicyOf(request), base64Decode: request.base64Decode ?? false };
};

/**
 * The configuration that replaces `previous` (`null`: the subscription was in pull mode). Secrets and verification are kept where the rules say so.
 * @throws DomainError as {@link newPushConfiguration}, but `PUSH_RETRY_POLICY_INVALID` before errors of the type
 */
export const replacedPushConfiguration = (
  request: PushRequest,
  previous: PushConfiguration | null,
  secrets: PushSecrets,
  rules: PushRules,
): PushConfiguration => {
  requireShortTexts(request);
  const retryPolicy = retryPolicyOf(request);
  const settings = typeOf(request) === 'mattermost' ? mattermost(request) : httpEndpoint(request, previous, secrets, rules);
  return { ...settings, retryPolicy, base64Decode: request.base64Decode ?? previous?.base64Decode ?? false };
};

import { combined, duration, flag, integer, oneOf, secondsOf, variable } from '#infra/platform/config/variables.js';

export const messagingSettings = {
  /**
   * Whether the service takes what the original takes and the messaging specification forbids: publish calls without messages, empty messages
   * and data that are not base64. The second variable is its name until 1.0, the other way round.
   */
  messagingLenient: combined(
    { lenient: variable('LOGBOOK_MESSAGING_LENIENT', flag), strict: variable('LOGBOOK_MESSAGING_STRICT_BASE64', flag, true) },
    ({ lenient, strict }) => lenient ?? !strict,
  ),
  /** Whether all calls that read or move a subscription look at its ACL, also those that the original leaves open. */
  messagingStrictAcl: variable('LOGBOOK_MESSAGING_STRICT_ACL', flag, false),
  /** Whether approving a registration without a project creates a project. */
  messagingProjectOnApproval: variable('LOGBOOK_MESSAGING_PROJECT_ON_APPROVAL', flag, true),
  /** `always`: reads of users show their tokens. `once`: only the answers of calls that make a token show it, and only its hash is stored. */
  messagingTokensShown: variable('LOGBOOK_MESSAGING_TOKENS_SHOWN', oneOf(['always', 'once']), 'always'),
  /** Retention of messages. */
  messagingRetentionSeconds: variable(
    'LOGBOOK_MESSAGING_RETENTION',
    duration(/^[1-9]\d{0,5}[smhd]$/, 'must be a number of seconds, minutes, hours or days, such as 7d'),
    secondsOf('7d'),
  ),
  /** Messages that a project may publish in an hour, and bytes of its publish calls. Default: any number. */
  projectQuota: combined(
    {
      messages: variable('LOGBOOK_QUOTA_PROJECT_MESSAGES', integer('must be a number of messages', 1)),
      bytes: variable('LOGBOOK_QUOTA_PROJECT_BYTES', integer('must be a number of bytes', 1)),
    },
    (quota) => quota,
  ),
  /** Whether messages may be pushed to private and loopback addresses, and to plain http. */
  pushAllowPrivate: variable('LOGBOOK_PUSH_ALLOW_PRIVATE', flag, false),
};

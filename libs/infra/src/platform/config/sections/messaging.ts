import { IsOptional, Matches } from 'class-validator';
import { Flag, Integer, OneOf, secondsOf } from '#infra/platform/config/checks.js';

export class MessagingVariables {
  /** Whether the service takes what the original takes and the messaging specification forbids. */
  @IsOptional()
  @Flag()
  LOGBOOK_MESSAGING_LENIENT?: boolean;

  /** The name of that until 1.0, the other way round: `false` is lenient, unless the newer one is set. */
  @Flag()
  LOGBOOK_MESSAGING_STRICT_BASE64 = true;

  /** Whether all calls that read or move a subscription look at its ACL, also those that the original leaves open. */
  @Flag()
  LOGBOOK_MESSAGING_STRICT_ACL = false;

  /** Whether approving a registration without a project creates a project. */
  @Flag()
  LOGBOOK_MESSAGING_PROJECT_ON_APPROVAL = true;

  /** When the token of a user is shown. */
  @OneOf(['always', 'once'])
  LOGBOOK_MESSAGING_TOKENS_SHOWN: 'always' | 'once' = 'always';

  /** Retention of messages. */
  @Matches(/^[1-9]\d{0,5}[smhd]$/, { message: 'must be a number of seconds, minutes, hours or days, such as 7d' })
  LOGBOOK_MESSAGING_RETENTION = '7d';

  /** Messages that a project may publish in an hour. Default: any number. */
  @IsOptional()
  @Integer('must be a number of messages', 1)
  LOGBOOK_QUOTA_PROJECT_MESSAGES?: number;

  /** Bytes of the publish calls of a project in an hour. Default: any number. */
  @IsOptional()
  @Integer('must be a number of bytes', 1)
  LOGBOOK_QUOTA_PROJECT_BYTES?: number;

  /** Whether messages may be pushed to private and loopback addresses, and to plain http. */
  @Flag()
  LOGBOOK_PUSH_ALLOW_PRIVATE = false;
}

export const messagingSettings = (given: MessagingVariables) => ({
  /** Publish calls without messages, empty messages and data that are not base64 are accepted, as in the original. */
  messagingLenient: given.LOGBOOK_MESSAGING_LENIENT ?? !given.LOGBOOK_MESSAGING_STRICT_BASE64,
  messagingStrictAcl: given.LOGBOOK_MESSAGING_STRICT_ACL,
  messagingProjectOnApproval: given.LOGBOOK_MESSAGING_PROJECT_ON_APPROVAL,
  /** `always`: reads of users show their tokens. `once`: only the answers of calls that make a token show it, and only its hash is stored. */
  messagingTokensShown: given.LOGBOOK_MESSAGING_TOKENS_SHOWN,
  messagingRetentionSeconds: secondsOf(given.LOGBOOK_MESSAGING_RETENTION),
  /** Of a project, in an hour. */
  projectQuota: { messages: given.LOGBOOK_QUOTA_PROJECT_MESSAGES, bytes: given.LOGBOOK_QUOTA_PROJECT_BYTES },
  pushAllowPrivate: given.LOGBOOK_PUSH_ALLOW_PRIVATE,
});

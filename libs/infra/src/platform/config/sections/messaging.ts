import { IsBoolean, IsIn, IsInt, IsOptional, Matches, Min } from 'class-validator';
import { Flag, Integer, secondsOf } from '#infra/platform/config/checks.js';
import type { QuotaLimits } from '#infra/platform/scheduling/quota.js';

export class MessagingVariables {
  /** Whether the service takes what the original takes and the messaging specification forbids. */
  @IsOptional()
  @IsBoolean({ message: 'must be true or false' })
  @Flag()
  LOGBOOK_MESSAGING_LENIENT?: boolean;

  /** The name of that until 1.0, the other way round: `false` is lenient, unless the newer one is set. */
  @IsBoolean({ message: 'must be true or false' })
  @Flag()
  LOGBOOK_MESSAGING_STRICT_BASE64 = true;

  /** Whether all calls that read or move a subscription look at its ACL, also those that the original leaves open. */
  @IsBoolean({ message: 'must be true or false' })
  @Flag()
  LOGBOOK_MESSAGING_STRICT_ACL = false;

  /** Whether approving a registration without a project creates a project. */
  @IsBoolean({ message: 'must be true or false' })
  @Flag()
  LOGBOOK_MESSAGING_PROJECT_ON_APPROVAL = true;

  /** When the token of a user is shown. */
  @IsIn(['always', 'once'], { message: 'must be always or once' })
  LOGBOOK_MESSAGING_TOKENS_SHOWN: 'always' | 'once' = 'always';

  /** Retention of messages. */
  @Matches(/^[1-9]\d{0,5}[smhd]$/, { message: 'must be a number of seconds, minutes, hours or days, such as 7d' })
  LOGBOOK_MESSAGING_RETENTION = '7d';

  /** Messages that a project may publish in an hour. Default: any number. */
  @IsOptional()
  @Min(1)
  @IsInt({ message: 'must be a number of messages' })
  @Integer()
  LOGBOOK_QUOTA_PROJECT_MESSAGES?: number;

  /** Bytes of the publish calls of a project in an hour. Default: any number. */
  @IsOptional()
  @Min(1)
  @IsInt({ message: 'must be a number of bytes' })
  @Integer()
  LOGBOOK_QUOTA_PROJECT_BYTES?: number;

  /** Whether messages may be pushed to private and loopback addresses, and to plain http. */
  @IsBoolean({ message: 'must be true or false' })
  @Flag()
  LOGBOOK_PUSH_ALLOW_PRIVATE = false;
}

export type MessagingSettings = Readonly<{
  /** Publish calls without messages, empty messages and data that are not base64 are taken, as in the original. */
  messagingLenient: boolean;
  /** All calls that read or move a subscription look at its ACL, also those that the original leaves open. */
  messagingStrictAcl: boolean;
  /** Approving a registration without a project creates one, named after the user. */
  messagingProjectOnApproval: boolean;
  /** `always`: reads of users show their tokens. `once`: only answers to calls that make one do, and only its hash is stored. */
  messagingTokensShown: 'always' | 'once';
  messagingRetentionSeconds: number;
  /** Of a project, in an hour. */
  projectQuota: QuotaLimits;
  /** Messages may be pushed to private and loopback addresses, and to plain http. */
  pushAllowPrivate: boolean;
}>;

export const messagingSettings = (given: MessagingVariables): MessagingSettings => ({
  messagingLenient: given.LOGBOOK_MESSAGING_LENIENT ?? !given.LOGBOOK_MESSAGING_STRICT_BASE64,
  messagingStrictAcl: given.LOGBOOK_MESSAGING_STRICT_ACL,
  messagingProjectOnApproval: given.LOGBOOK_MESSAGING_PROJECT_ON_APPROVAL,
  messagingTokensShown: given.LOGBOOK_MESSAGING_TOKENS_SHOWN,
  messagingRetentionSeconds: secondsOf(given.LOGBOOK_MESSAGING_RETENTION),
  projectQuota: { messages: given.LOGBOOK_QUOTA_PROJECT_MESSAGES, bytes: given.LOGBOOK_QUOTA_PROJECT_BYTES },
  pushAllowPrivate: given.LOGBOOK_PUSH_ALLOW_PRIVATE,
});

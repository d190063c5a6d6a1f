import type { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import type { BodyRefused } from '#api/shared/bodies/body-refused.js';
import { SET_ASIDE } from '#api/shared/http/failures.js';
import type { RoleElsewhere } from '#api/shared/http/role-elsewhere.js';

/** An error answer: `{ "code", "message" }`; the code is the HTTP status (accounting contract 2.1). */
export class AccountingError extends Error {
  override readonly name = 'AccountingError';
  constructor(
    readonly statusCode: number,
    override readonly message: string,
  ) {
    super(message);
  }

  get body(): string {
    return envelope(this.statusCode, this.message);
  }
}

const failure = (statusCode: number, message: string) => new AccountingError(statusCode, message);

// Conditions of any route (2.2).

export const unauthorized = () => failure(401, 'A valid access token is required: Authorization: Bearer <ACCESS_TOKEN>');
/** The token has no issuer. */
export const missingIssuer = () => failure(400, "Missing 'iss' claim in access token.");
/** The token has neither of the claims that identify its holder. */
export const missingIdentifiers = (userClaim: string, serviceClaim: string) =>
  failure(400, `Unique identifiers [${userClaim}, ${serviceClaim}] weren't present in the access token.`);
/** The keys of the token's issuer are not available. */
export const issuerUnavailable = () => failure(503, 'The issuer of the access token cannot be reached now, try again later.');
/** A permission other than that of a provider's representative is missing. */
export const forbidden = () => failure(403, 'The authenticated client is not permitted to perform the requested operation.');
/** The caller does not represent the provider. */
export const notRepresentative = () => failure(403, 'You have no access to execute this operation.');
export const unsupportedMediaType = () => failure(415, 'Cannot consume content type.');
export const notAcceptable = () => failure(406, 'The accept header value did not match the value in @Produces');
export const unknownPath = () => failure(404, 'Unable to find matching target resource method');
export const unknownRoot = () => failure(404, 'HTTP 404 Not Found');
export const wrongMethod = () => failure(405, 'HTTP 405 Method Not Allowed');
export const emptyBody = () => failure(400, 'The request body is empty.');
/** Not JSON, or JSON of another structure than the call accepts. */
export const malformed = () => failure(400, 'HTTP 400 Bad Request');
/** A number of a size that no amount has. @param limit what it may have at most */
export const numberTooLarge = (limit: string) => failure(400, `A number may have at most ${limit}.`);
/** A body above a limit of its route, too slow, or without room in memory. */
export const bodyRefused = ({ reason, statusCode }: BodyRefused): AccountingError => {
  switch (reason) {
    case 'busy':
      return unavailable();
    case 'bytes':
      return failure(statusCode, 'The request body is too large.');
    case 'values':
      return failure(statusCode, 'The request body has too many values.');
    case 'levels':
      return failure(statusCode, 'The request body is nested too deeply.');
    case 'text':
      return failure(statusCode, 'The request body has a text that is too long.');
    case 'slow':
      return failure(statusCode, 'The request body took too long to arrive.');
  }
};
/** A read as of the past is refused. The original has no such reads. */
export const asOfRefused = ({ statusCode, message, obstacle }: AsOfRefused): AccountingError =>
  obstacle === 'key' ? forbidden() : failure(statusCode, message);
/** Another node answers the request. */
export const roleElsewhere = ({ statusCode, message }: RoleElsewhere) => failure(statusCode, message);
export const keyReused = () => failure(422, 'The Idempotency-Key was used before with another request body.');
/** The record of the call was deleted while the call was processed. */
export const gone = () => failure(404, 'HTTP 404 Not Found');
/** @param why continuation of the text */
export const unavailable = (why = '') => failure(503, `The service cannot process the request now, try again later${why}.`);
export const setAside = () => failure(503, SET_ASIDE);
/** The log has the cause under the request id. */
export const internal = () => failure(500, 'Internal Server Error');
export const badPage = () => failure(400, 'Page number must be >= 1.');
export const badSize = (largest: number) => failure(400, `Page size must be between 1 and ${largest}.`);

// Not found, by entity (2.3). Ids are echoed as sent.

export const projectNotFound = (id: string) => failure(404, `There is no Project with the following id: ${id}`);
export const providerNotFound = (id: string) => failure(404, `There is no Provider with the following id: ${id}`);
export const installationNotFound = (id: string) => failure(404, `There is no Installation with the following id: ${id}`);
export const metricNotFound = (id: string) => failure(404, `There is no Metric with the following id: ${id}`);
export const definitionNotFound = (id: string) => failure(404, `There is no Metric Definition with the following id: ${id}`);
export const unitTypeNotFound = (id: string) => failure(404, `There is no Unit Type with the following id: ${id}`);
export const metricTypeNotFound = (id: string) => failure(404, `There is no Metric Type with the following id: ${id}`);
/** A unit type named by a metric definition. */
export const unknownUnitType = (value: string) => failure(404, `There is no unit type : ${value}`);
/** A metric type named by a metric definition. */
export const unknownMetricType = (value: string) => failure(404, `There is no metric type : ${value}`);
export const resourceNotFound = (id: string) => failure(404, `There is no Resource with the following id: ${id}`);
export const capacityNotFound = (id: string) => failure(404, `There is no Capacity with the following id: ${id}`);
export const entitlementNotFound = (id: string) => failure(404, `There is no entitlement with the following id: ${id}`);
export const actorNotFound = (id: string) => failure(404, `There is no actor with the following id: ${id}`);
export const oidcTenantNotFound = (id: string) => failure(404, `There is no OIDC tenant configuration with the following id: ${id}`);
export const externalInstallationNotFound = (externalId: string) =>
  failure(404, `There is no Installation with external id: ${externalId}`);
export const externalProviderNotFound = (externalId: string) => failure(404, `There is no Provider with external id: ${externalId}`);
/** The same in the global provider report, with a blank before the colon. */
export const externalProviderNotReported = (externalId: string) => failure(404, `There is no Provider with external id : ${externalId}`);
export const unknownSetting = () => failure(404, 'HTTP 404 Not Found');

// Fields and parameters (2.4).

export const missing = (field: string) => failure(400, `${field} may not be empty.`);
export const dotInProviderId = () => failure(400, 'Provider ID should not contain a dot character.');
export const dotInProjectId = () => failure(400, 'Project ID should not contain a dot character.');
/** An id that would be ambiguous in the name of an entitlement: two are words of its grammar, and a colon separates its segments. */
export const reservedProjectId = (id: string) => failure(400, `Project ID [${id}] is reserved or contains a colon.`);
/** Reports and capacities. */
export const badDate = () => failure(400, 'Valid date format is yyyy-MM-dd.');
/** For projects; the letters differ, as in the original. */
export const badProjectDate = () => failure(400, 'Valid date format is yyyy-mm-dd.');
/** Lists of metrics. */
export const badMetricListDate = () => failure(400, 'The date format must be as follows YYYY-MM-DD');
export const badMetricListRange = () => failure(400, 'start cannot be after end.');
export const badReportRange = () => failure(400, 'Start date must be before or equal to end date.');
export const badTimestamp = (field: string, value: string) => failure(400, `${field} must be a valid zulu timestamp. found: ${value}`);
export const futureTimestamp = () => failure(400, 'Timestamp cannot be after the current date-time.');
export const equalTimestamps = () => failure(400, 'Timestamp of the starting date time cannot be equal to Timestamp of the end date time.');
export const startAfterEnd = () => failure(400, 'Timestamp of the starting date time cannot be after of Timestamp of the end date time.');
/** Only an end was given, and it is before the stored start. */
export const endBeforeStart = () => failure(400, 'Timestamp of the end date time cannot be before of Timestamp of the starting date time.');
export const noProjects = () => failure(400, 'projects should have at least one entry.');
export const invalidSetting = (key: string) => failure(400, `Invalid value for setting ${key}`);
export const invalidEntitlementManagement = (value: string) => failure(400, `Invalid value for entitlement management : ${value}`);
export const badCountDate = () => failure(400, 'Invalid date format. Use yyyy-MM-dd');
export const badCountRange = () => failure(400, 'Invalid date range. Start date must be before end date.');
/** A search whose structure differs from accounting contract 5.1; `problem` is for people. */
export const badSearch = (problem: string) => failure(400, `The search is not valid: ${problem}`);

// Forbidden by state (2.5).

export const installationInUse = (doing: 'Updating' | 'Deleting') =>
  failure(403, `${doing} an Installation is not allowed if there are Metrics assigned to it.`);
export const catalogueProvider = (doing: 'update' | 'delete') =>
  failure(403, `You cannot ${doing} a Provider which derives from EOSC-Portal.`);
export const providerOfProject = (doing: 'update' | 'delete') => failure(403, `You cannot ${doing} a Provider which belongs to a Project.`);
export const shippedType = (doing: 'update' | 'delete', kind: 'Unit Type' | 'Metric Type') =>
  failure(403, `You cannot ${doing} a ${kind} registered by Accounting Service.`);
export const typeInUse = (doing: 'update' | 'delete', kind: 'Unit Type' | 'Metric Type') =>
  failure(403, `This ${kind} is used in an existing Metric Definition, so you cannot ${doing} it.`);
export const entitlementAssigned = () => failure(403, 'You cannot delete this entitlement cause is assigned to an actor!');
export const noListenerSecret = () => failure(403, 'You cannot perform this operation');

// Conflicts (2.6).

export const installationTaken = (project: string, provider: string, installation: string, id: string) =>
  failure(409, `There is an Installation with the following combination : {${project}, ${provider}, ${installation}}. Its id is ${id}`);
export const externalIdTaken = () => failure(409, 'external_id already exists');
export const providerNameTaken = (name: string) => failure(409, `There is a Provider with name: ${name}`);
export const providerIdTaken = (id: string) => failure(409, `There is a Provider with id: ${id}`);
export const alreadyAssociated = (projectId: string) =>
  failure(409, `This provider has already been associated with the Project : ${projectId}`);
export const dissociationRefused = (projectId: string, providerId: string) =>
  failure(409, `Dissociation is not allowed. There are registered installations to {${projectId}, ${providerId}}.`);
export const definitionTaken = (unitType: string, name: string, id: string) =>
  failure(409, `There is a Metric Definition with unit type ${unitType} and name ${name}. Its id is ${id}`);
/** The same in an update. */
export const definitionNotUnique = () =>
  failure(
    409,
    'The combination of unit_type and metric_name should be unique. A Metric Definition with that combination has already been created.',
  );
export const definitionInUse = (done: 'updated' | 'deleted') =>
  failure(409, `The Metric Definition cannot be ${done}. There is a Metric assigned to it.`);
/** It is the unit of access of an installation. */
export const definitionOfInstallation = () =>
  failure(409, 'The Metric Definition cannot be deleted. It is the unit of access of an Installation.');
export const typeTaken = (kind: 'Unit Type' | 'Metric Type', id: string) =>
  failure(409, `This ${kind} already exists in the Accounting Service database. Its id is ${id}`);
/** The external catalogue has a project with this id. */
export const projectInCatalogue = (id: string) => failure(409, `Project with ID [${id}] exists in European Database.`);
export const projectRegistered = (id: string) => failure(409, `Project with ID [${id}] has already been registered in Accounting Service.`);
export const resourceRegistered = (id: string) =>
  failure(409, `Resource with ID [${id}] has already been registered in Accounting Service.`);
export const resourceInUse = () => failure(409, 'Resource cannot be deleted. It is assigned to an Installation.');
export const entitlementTaken = (name: string) => failure(409, `There is an entitlement with name : ${name}`);
/** The same in an update. */
export const entitlementNameInUse = () => failure(409, "Entitlement's name already in use.");
export const alreadyAssigned = () => failure(409, 'Entitlement already assigned to actor.');
export const issuerTaken = (issuer: string) =>
  failure(409, `OIDC tenant configuration with issuer [${issuer}] has already been registered in Accounting Service.`);
export const tenantIdTaken = (tenantId: string) =>
  failure(409, `OIDC tenant configuration with tenant ID [${tenantId}] has already been registered in Accounting Service.`);
/** The same two in an update. */
export const issuerInUse = () => failure(409, 'Issuer already in use.');
export const tenantIdInUse = () => failure(409, 'Tenant ID already in use.');
export const capacityTaken = () =>
  failure(409, 'There is a Capacity of this Installation and Metric Definition registered on the same date-time.');

/** A limit of size or number (docs/limits.md). */
export const overLimit = (text: string) => failure(409, text);

// Other rules (2.7).

export const notAssociated = (project: string, provider: string) =>
  failure(400, `There is no relationship between Project {${project}} and Provider {${provider}}`);
export const notAssigned = () => failure(400, 'There is no entitlement assigned to actor.');

/** The body of an error; with a success code, the "message envelope". */
export const envelope = (code: number, message: string): string => JSON.stringify({ code, message });

import type { DomainError } from '#domain/shared/decider.js';
import * as errors from './errors.js';

type Details = DomainError['details'];

/** A detail of a domain error, as text. */
const detail = (details: Details, name: string): string => `${details[name]}`;

/** Builds an error from these details, in the order of its parameters. */
const withDetails =
  (make: (...texts: string[]) => errors.AccountingError, ...names: readonly string[]) =>
  (details: Details): errors.AccountingError =>
    make(...names.map((name) => detail(details, name)));

const KINDS: Readonly<Record<string, 'Unit Type' | 'Metric Type'>> = { unit: 'Unit Type', metric: 'Metric Type' };
const kindIn = (details: Details): 'Unit Type' | 'Metric Type' => KINDS[detail(details, 'kind')] ?? 'Metric Type';

type HttpErrors = Readonly<Record<string, (details: Details) => errors.AccountingError>>;

const accessErrors: HttpErrors = {
  ENTITLEMENT_NOT_FOUND: withDetails(errors.entitlementNotFound, 'id'),
  ACTOR_NOT_FOUND: withDetails(errors.actorNotFound, 'id'),
  OIDC_TENANT_NOT_FOUND: withDetails(errors.oidcTenantNotFound, 'id'),
  ENTITLEMENT_NAME_TAKEN: withDetails(errors.entitlementTaken, 'name'),
  ENTITLEMENT_NAME_IN_USE: errors.entitlementNameInUse,
  ENTITLEMENT_ASSIGNED: errors.entitlementAssigned,
  ENTITLEMENT_ASSIGNED_ALREADY: errors.alreadyAssigned,
  ENTITLEMENT_NOT_ASSIGNED: errors.notAssigned,
  ISSUER_TAKEN: withDetails(errors.issuerTaken, 'issuer'),
  TENANT_ID_TAKEN: withDetails(errors.tenantIdTaken, 'tenantId'),
  ISSUER_IN_USE: errors.issuerInUse,
  TENANT_ID_IN_USE: errors.tenantIdInUse,
};

const catalogueErrors: HttpErrors = {
  PROJECT_OF_CATALOGUE: withDetails(errors.projectInCatalogue, 'projectId'),
  PROJECT_TAKEN: withDetails(errors.projectRegistered, 'projectId'),
  PROJECT_NOT_FOUND: withDetails(errors.projectNotFound, 'projectId'),
  PROVIDER_NOT_FOUND: withDetails(errors.providerNotFound, 'providerId'),
  PROVIDER_ID_TAKEN: withDetails(errors.providerIdTaken, 'providerId'),
  PROVIDER_NAME_TAKEN: withDetails(errors.providerNameTaken, 'name'),
  EXTERNAL_ID_TAKEN: errors.externalIdTaken,
  PROVIDER_OF_CATALOGUE_UPDATE: () => errors.catalogueProvider('update'),
  PROVIDER_OF_CATALOGUE_DELETE: () => errors.catalogueProvider('delete'),
  PROVIDER_ASSOCIATED_UPDATE: () => errors.providerOfProject('update'),
  PROVIDER_ASSOCIATED_DELETE: () => errors.providerOfProject('delete'),
  RESOURCE_NOT_FOUND: withDetails(errors.resourceNotFound, 'resourceId'),
  RESOURCE_TAKEN: withDetails(errors.resourceRegistered, 'resourceId'),
  RESOURCE_IN_USE: errors.resourceInUse,
  PROVIDER_ALREADY_ASSOCIATED: withDetails(errors.alreadyAssociated, 'projectId'),
  PROVIDER_HAS_INSTALLATIONS: withDetails(errors.dissociationRefused, 'projectId', 'providerId'),
  PROVIDER_NOT_ASSOCIATED: withDetails(errors.notAssociated, 'projectId', 'providerId'),
  INSTALLATION_NOT_FOUND: withDetails(errors.installationNotFound, 'installationId'),
  INSTALLATION_NAME_TAKEN: withDetails(errors.installationTaken, 'projectId', 'providerId', 'name', 'installationId'),
  INSTALLATION_MEASURED_UPDATE: () => errors.installationInUse('Updating'),
  INSTALLATION_MEASURED_DELETE: () => errors.installationInUse('Deleting'),
};

const definitionErrors: HttpErrors = {
  DEFINITION_NOT_FOUND: withDetails(errors.definitionNotFound, 'definitionId'),
  DEFINITION_MEASURED_UPDATE: () => errors.definitionInUse('updated'),
  DEFINITION_MEASURED_DELETE: () => errors.definitionInUse('deleted'),
  DEFINITION_ACCESSED: errors.definitionOfInstallation,
  DEFINITION_TAKEN: withDetails(errors.definitionTaken, 'unit_type', 'metric_name', 'definitionId'),
  DEFINITION_TAKEN_UPDATE: errors.definitionNotUnique,
  TYPE_VALUE_NOT_FOUND: (details) =>
    detail(details, 'kind') === 'unit'
      ? errors.unknownUnitType(detail(details, 'value'))
      : errors.unknownMetricType(detail(details, 'value')),
  TYPE_NOT_FOUND: (details) =>
    detail(details, 'kind') === 'unit'
      ? errors.unitTypeNotFound(detail(details, 'typeId'))
      : errors.metricTypeNotFound(detail(details, 'typeId')),
  TYPE_SHIPPED_UPDATE: (details) => errors.shippedType('update', kindIn(details)),
  TYPE_SHIPPED_DELETE: (details) => errors.shippedType('delete', kindIn(details)),
  TYPE_USED_UPDATE: (details) => errors.typeInUse('update', kindIn(details)),
  TYPE_USED_DELETE: (details) => errors.typeInUse('delete', kindIn(details)),
  TYPE_TAKEN: (details) => errors.typeTaken(kindIn(details), detail(details, 'typeId')),
};

const metricErrors: HttpErrors = {
  METRIC_NOT_FOUND: withDetails(errors.metricNotFound, 'metricId'),
  METRIC_TIMESTAMP_MISSING: withDetails(errors.missing, 'field'),
  METRIC_TIMESTAMP_MALFORMED: withDetails(errors.badTimestamp, 'field', 'value'),
  METRIC_PERIOD_IN_FUTURE: errors.futureTimestamp,
  METRIC_PERIOD_EMPTY: errors.equalTimestamps,
  METRIC_PERIOD_REVERSED: errors.startAfterEnd,
  METRIC_END_BEFORE_START: errors.endBeforeStart,
  CAPACITY_NOT_FOUND: withDetails(errors.capacityNotFound, 'capacityId'),
  CAPACITY_TAKEN: errors.capacityTaken,
  CAPACITY_DATE_MALFORMED: errors.badDate,
};

/** HTTP errors by the codes of the accounting service's domain rules (accounting contract 2.3 to 2.7). */
const httpErrors: HttpErrors = {
  ...accessErrors,
  ...catalogueErrors,
  ...definitionErrors,
  ...metricErrors,
  OVER_LIMIT: withDetails(errors.overLimit, 'text'),
};

/** The HTTP error of a domain error; `undefined` for a code of another service. */
export const toHttpError = ({ code, details }: DomainError): errors.AccountingError | undefined =>
  Object.hasOwn(httpErrors, code) ? httpErrors[code]?.(details) : undefined;

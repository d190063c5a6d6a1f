import * as errors from '#api/accounting/errors.js';
import { detail, type Wording, type Wordings } from '#api/accounting/wording.js';

/** Broken rules of projects, providers, resources and of what belongs to projects. */
export const catalogueWordings: Wordings = {
  PROJECT_OF_CATALOGUE: (details) => errors.projectInCatalogue(detail(details, 'projectId')),
  PROJECT_TAKEN: (details) => errors.projectRegistered(detail(details, 'projectId')),
  PROJECT_NOT_FOUND: (details) => errors.projectNotFound(detail(details, 'projectId')),
  PROVIDER_NOT_FOUND: (details) => errors.providerNotFound(detail(details, 'providerId')),
  PROVIDER_ID_TAKEN: (details) => errors.providerIdTaken(detail(details, 'providerId')),
  PROVIDER_NAME_TAKEN: (details) => errors.providerNameTaken(detail(details, 'name')),
  EXTERNAL_ID_TAKEN: errors.externalIdTaken,
  PROVIDER_OF_CATALOGUE_UPDATE: () => errors.catalogueProvider('update'),
  PROVIDER_OF_CATALOGUE_DELETE: () => errors.catalogueProvider('delete'),
  PROVIDER_ASSOCIATED_UPDATE: () => errors.providerOfProject('update'),
  PROVIDER_ASSOCIATED_DELETE: () => errors.providerOfProject('delete'),
  RESOURCE_NOT_FOUND: (details) => errors.resourceNotFound(detail(details, 'resourceId')),
  RESOURCE_TAKEN: (details) => errors.resourceRegistered(detail(details, 'resourceId')),
  RESOURCE_IN_USE: errors.resourceInUse,
  PROVIDER_ALREADY_ASSOCIATED: (details) => errors.alreadyAssociated(detail(details, 'projectId')),
  PROVIDER_HAS_INSTALLATIONS: (details) => errors.dissociationRefused(detail(details, 'projectId'), detail(details, 'providerId')),
  PROVIDER_NOT_ASSOCIATED: (details) => errors.notAssociated(detail(details, 'projectId'), detail(details, 'providerId')),
  INSTALLATION_NOT_FOUND: (details) => errors.installationNotFound(detail(details, 'installationId')),
  INSTALLATION_NAME_TAKEN: (details) =>
    errors.installationTaken(
      detail(details, 'projectId'),
      detail(details, 'providerId'),
      detail(details, 'name'),
      detail(details, 'installationId'),
    ),
  INSTALLATION_MEASURED_UPDATE: () => errors.installationInUse('Updating'),
  INSTALLATION_MEASURED_DELETE: () => errors.installationInUse('Deleting'),
};

const KINDS: Readonly<Record<string, 'Unit Type' | 'Metric Type'>> = { unit: 'Unit Type', metric: 'Metric Type' };
const kindIn = (details: Parameters<Wording>[0]): 'Unit Type' | 'Metric Type' => KINDS[detail(details, 'kind')] ?? 'Metric Type';

/** Broken rules of metric definitions and their types. */
export const definitionWordings: Wordings = {
  DEFINITION_NOT_FOUND: (details) => errors.definitionNotFound(detail(details, 'definitionId')),
  DEFINITION_MEASURED_UPDATE: () => errors.definitionInUse('updated'),
  DEFINITION_MEASURED_DELETE: () => errors.definitionInUse('deleted'),
  DEFINITION_ACCESSED: errors.definitionOfInstallation,
  DEFINITION_TAKEN: (details) =>
    errors.definitionTaken(detail(details, 'unit_type'), detail(details, 'metric_name'), detail(details, 'definitionId')),
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

/** The packages that an installation consists of as a software bill of materials: CycloneDX 1.6, JSON, the same bytes for the same packages. */
import { createRequire } from 'node:module';
import { dependenciesOf, manifestOf } from './packages.mjs';

const require = createRequire(import.meta.url);
const { Contrib, Enums, Models, Serialize, Spec } = require('@cyclonedx/cyclonedx-library');
const parseSpdx = require('spdx-expression-parse');

const builder = new Contrib.FromNodePackageJson.Builders.ComponentBuilder(
  new Contrib.FromNodePackageJson.Factories.ExternalReferenceFactory(),
  new Contrib.License.Factories.LicenseFactory(parseSpdx),
);

const componentOf = (place, type) => {
  const manifest = manifestOf(place);
  const component = builder.makeComponent({ ...manifest, engines: undefined }, type);
  const registry = manifest.private ? 'generic' : 'npm'; // another package may have our name there
  component.purl = `pkg:${registry}/${manifest.name.replace('@', '%40')}@${manifest.version}`;
  component.bomRef.value = component.purl;
  return component;
};

/** @param places of the packages */
export const billOfMaterials = (places) => {
  const components = new Map(places.map((place) => [place, componentOf(place, Enums.ComponentType.Library)]));
  const program = componentOf('.', Enums.ComponentType.Application);
  const link = (component, place) => {
    for (const needed of dependenciesOf(place)) if (components.has(needed)) component.dependencies.add(components.get(needed).bomRef);
  };
  link(program, '.');
  for (const [place, component] of components) link(component, place);
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ component: program }),
    components: new Models.ComponentRepository(components.values()),
  });
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
};

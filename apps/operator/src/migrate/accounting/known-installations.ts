/** Facts about an installation, needed for metrics and capacities. */
export type KnownInstallation = Readonly<{
  id: string;
  projectId: string;
  providerId: string;
  name: string;
  infrastructure: string | null;
  resource: string | null;
}>;

/** The installations taken over, with their places: about 300 bytes each. */
export class KnownInstallations {
  private readonly byId = new Map<string, KnownInstallation>();
  private readonly byPath = new Map<string, KnownInstallation>();
  private readonly acronyms = new Map<string, string>();

  addProject(projectId: string, acronym: string): void {
    this.acronyms.set(projectId, acronym);
  }

  add(installation: KnownInstallation): void {
    const { id, projectId, providerId } = installation;
    this.byId.set(id, installation);
    this.byPath.set(`${projectId}.${providerId}.${id}`, installation);
  }

  has(id: string): boolean {
    return this.byId.has(id);
  }

  acronymOf({ projectId }: KnownInstallation): string {
    return this.acronyms.get(projectId) ?? '';
  }

  /** @param id in the original's spelling */
  find(id: string): KnownInstallation | undefined {
    return this.byId.get(id.toLowerCase());
  }

  /** Finds by the path `project.provider.installation`, compared as a whole because ids may contain dots. */
  at(path: string): KnownInstallation | undefined {
    return this.byPath.get(path) ?? this.find(path.slice(path.lastIndexOf('.') + 1));
  }

  /** Ids of the projects. */
  get projects(): Iterable<string> {
    return this.acronyms.keys();
  }
}

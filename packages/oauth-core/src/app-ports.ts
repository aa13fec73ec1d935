import type { Instance } from '@svc/platform'

/** A permission of a manifest, under a title. @see oauth.md 12 "JSON form" */
export interface ManifestPermission {
  readonly type: string
  /** Absent or containing `ALL`: every verb. */
  readonly verbs?: readonly string[]
  readonly values?: readonly string[]
  readonly selector?: string
  readonly description?: string
}

/** A folder of static files served on the app's host. @see decision D29 */
export interface ManifestRoute {
  readonly folder: string
  readonly index: string
  readonly public: boolean
}

/** What an app says about itself. */
export interface AppManifest {
  readonly slug: string
  readonly name: string
  readonly version?: string
  /** Path of an image inside the app's folder. */
  readonly icon?: string
  readonly permissions: Readonly<Record<string, ManifestPermission>>
  readonly routes: Readonly<Record<string, ManifestRoute>>
  readonly notifications?: Readonly<Record<string, unknown>>
}

/** Which web apps an instance has, and could have. The host implements it. */
export interface AppRegistry {
  /** The installed app, or undefined. Asked at every guarded request of an app: answers from memory when it can. */
  installed(instance: Instance, slug: string): Promise<AppManifest | undefined>
  listInstalled(instance: Instance): Promise<readonly AppManifest[]>
  /** The app as it could be installed ("registry hook" of oauth.md 3.5), or undefined. */
  available(instance: Instance, slug: string): Promise<AppManifest | undefined>
  /**
   * Installs an app that is available; of one that is installed already: nothing. Called when the owner allows a client
   * that is linked to it (oauth.md 5.3). Absent: such clients wait until the app is installed some other way.
   */
  install?(instance: Instance, slug: string): Promise<unknown>
}

/** A program that fetches data for its owner, as its manifest describes it. */
export interface KonnectorManifest {
  readonly slug: string
  readonly permissions: Readonly<Record<string, ManifestPermission>>
}

/** Which konnectors an instance has. The host implements it. */
export interface KonnectorRegistry {
  /** The installed konnector, or undefined. Asked at every guarded request of one: answers from memory when it can. */
  installed(instance: Instance, slug: string): Promise<KonnectorManifest | undefined>
}

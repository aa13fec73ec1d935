import { fileURLToPath } from 'node:url'

/** Folders of files that are served on the hosts of apps; absolute paths. */
export const appFolders: {
  /** The app that owners land on, with its `manifest.json`. */
  readonly home: string
  /** The settings app, with its `manifest.json`. */
  readonly settings: string
  /** What apps share: scripts and style sheets, served on the host of every app below `KIT_PATH`. */
  readonly kit: string
} = {
  home: fileURLToPath(new URL('../home-app', import.meta.url)),
  settings: fileURLToPath(new URL('../settings-app', import.meta.url)),
  kit: fileURLToPath(new URL('../app-kit/_kit', import.meta.url)),
}

/** Where apps find the kit on their own host: `<KIT_PATH>/<name>`, public. No manifest may claim it. */
export const KIT_PATH = '/_kit'

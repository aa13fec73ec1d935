import type { Client } from '@svc/oauth-core'
import type { MakeFile } from './assets.ts'
import type { Looks } from './looks.ts'
import type { PagesContext } from './page-renderer.ts'

const NAME = /^theme(?:\.([A-Za-z0-9_-]{1,128}))?\.css$/u

/** Name of the sheet of a theme: that of a client says whose it is, so that any process can make it. */
export function themeFileName(client?: Pick<Client, 'id'>): string {
  return client === undefined ? 'theme.css' : `theme.${client.id}.css`
}

/** Makes the sheet of a theme for a process that has not shown the page. */
export function themeMaker(
  looks: Looks,
  findClient: PagesContext['findClient'] = async () => undefined,
): MakeFile {
  return async function makeTheme({ state: { instance } }, name) {
    const [isTheme, id] = NAME.exec(name) ?? []
    if (isTheme === undefined || looks.fixed !== undefined) return undefined
    const client = id === undefined ? undefined : await findClient(instance, id)
    return looks.of(instance, client).css
  }
}

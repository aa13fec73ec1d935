import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** The file that the pages load. */
export const WEBAUTHN_PATH: string = fileURLToPath(
  new URL('../assets/webauthn.js', import.meta.url),
)

const BANNER = `/*!
 * Made by packages/auth-ui/build/main.ts: passkeys in the browser. @simplewebauthn/browser (MIT); its notice is in
 * webauthn.LICENSE.txt.
 */`

/** What the file has to hold. */
export async function webauthnFile(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('webauthn-entry.ts', import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    banner: { js: BANNER },
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error('nothing was bundled')
  return file.text
}

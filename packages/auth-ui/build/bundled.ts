import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/**
 * A module for browsers, from an entry of this folder.
 * @param define - names in the entry, and what stands in their place, as source
 */
export async function bundled(
  entry: string,
  banner: string,
  define: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    banner: { js: banner },
    define: { ...define },
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error('nothing was bundled')
  return file.text
}

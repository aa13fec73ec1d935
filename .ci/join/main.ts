/**
 * Joins what the compiler made of public packages: of the one whose folder it is called in, or of all.
 *
 *   node .ci/join/main.ts
 *
 * @see docs/decisions/0720
 */
import path from 'node:path'
import { joinPackage, publicFolders } from './package.ts'

const folders = publicFolders(path.resolve(import.meta.dirname, '../..'))
const here = folders.filter((folder) => folder === process.cwd())
for (const folder of here.length > 0 ? here : folders) await joinPackage(folder)

/** Writes what the pages load of libraries: `pnpm --filter @svc/auth-ui assets`. */
import { writeFileSync } from 'node:fs'
import { GUESSES_PATH, guessesFile } from './guesses-file.ts'
import { WEBAUTHN_PATH, webauthnFile } from './webauthn-file.ts'

writeFileSync(GUESSES_PATH, await guessesFile())
writeFileSync(WEBAUTHN_PATH, await webauthnFile())

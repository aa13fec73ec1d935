import { serve } from '../serve.ts'
import { arabic } from './language.ts'

await serve({ ui: { locales: { ar: arabic } } })

import { serve } from '../serve.ts'
import { looks } from './looks.ts'

await serve({ ui: looks })

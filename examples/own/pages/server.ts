import { serve } from '../serve.ts'
import { ownPages } from './pages.ts'

await serve({ pages: ownPages })

/** Name of the account type that stands for the provider, and of the konnector that uses it. */
export const DEV_ACCOUNT_TYPE = 'demo-photos'

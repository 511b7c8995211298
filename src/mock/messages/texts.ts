/** Login and message texts of an organization. service behaviour 1.2; notation: message-table.ts. */
export const textMessages = `
SetCustomLoginTextsRequest { language=1 string 1..200; select_account_text=2 SelectAccountScreenText;
  login_text=3 LoginScreenText; password_text=4 PasswordScreenText; username_change_text=5 UsernameChangeScreenText;
  username_change_done_text=6 UsernameChangeDoneScreenText; init_password_text=7 InitPasswordScreenText;
  init_password_done_text=8 InitPasswordDoneScreenText; email_verification_text=9 EmailVerificationScreenText;
  email_verification_done_text=10 EmailVerificationDoneScreenText; initialize_user_text=11 InitializeUserScreenText;
  initialize_done_text=12 InitializeUserDoneScreenText; init_mfa_prompt_text=13 InitMFAPromptScreenText;
  init_mfa_otp_text=14 InitMFAOTPScreenText; init_mfa_u2f_text=15 InitMFAU2FScreenText;
  init_mfa_done_text=16 InitMFADoneScreenText; mfa_providers_text=17 MFAProvidersText;
  verify_mfa_otp_text=18 VerifyMFAOTPScreenText; verify_mfa_u2f_text=19 VerifyMFAU2FScreenText;
  passwordless_text=20 PasswordlessScreenText; password_change_text=21 PasswordChangeScreenText;
  password_change_done_text=22 PasswordChangeDoneScreenText; password_reset_done_text=23 PasswordResetDoneScreenText;
  registration_option_text=24 RegistrationOptionScreenText; registration_user_text=25 RegistrationUserScreenText;
  registration_org_text=26 RegistrationOrgScreenText; linking_user_done_text=27 LinkingUserDoneScreenText;
  external_user_not_found_text=28 ExternalUserNotFoundScreenText; success_login_text=29 SuccessLoginScreenText;
  logout_text=30 LogoutDoneScreenText; footer_text=31 FooterText;
  passwordless_prompt_text=32 PasswordlessPromptScreenText;
  passwordless_registration_text=33 PasswordlessRegistrationScreenText;
  passwordless_registration_done_text=34 PasswordlessRegistrationDoneScreenText;
  external_registration_user_overview_text=35 ExternalRegistrationUserOverviewScreenText;
  linking_user_prompt_text=36 LinkingUserPromptScreenText; }
SelectAccountScreenText { title=1 string ..200; description=2 string ..500; title_linking_process=3 string ..200;
  description_linking_process=4 string ..500; other_user=5 string ..500; session_state_active=6 string ..100;
  session_state_inactive=7 string ..100; user_must_be_member_of_org=8 string ..500; }
LoginScreenText { title=1 string ..200; description=2 string ..500; title_linking_process=3 string ..200;
  description_linking_process=4 string ..500; user_must_be_member_of_org=5 string ..500;
  login_name_label=6 string ..200; register_button_text=7 string ..100; next_button_text=8 string ..100;
  external_user_description=9 string ..500; user_name_placeholder=10 string ..200;
  login_name_placeholder=11 string ..200; }
PasswordScreenText { title=1 string ..200; description=2 string ..500; password_label=3 string ..200;
  reset_link_text=4 string ..100; back_button_text=5 string ..100; next_button_text=6 string ..100;
  min_length=7 string ..100; has_uppercase=8 string ..100; has_lowercase=9 string ..100; has_number=10 string ..100;
  has_symbol=11 string ..100; confirmation=12 string ..100; }
UsernameChangeScreenText { title=1 string ..200; description=2 string ..500; username_label=3 string ..200;
  cancel_button_text=4 string ..100; next_button_text=5 string ..100; }
UsernameChangeDoneScreenText { title=1 string ..200; description=2 string ..500; next_button_text=3 string ..100; }
InitPasswordScreenText { title=1 string ..200; description=2 string ..500; code_label=3 string ..200;
  new_password_label=4 string ..200; new_password_confirm_label=5 string ..200; next_button_text=6 string ..100;
  resend_button_text=7 string ..100; }
InitPasswordDoneScreenText { title=1 string ..200; description=2 string ..500; next_button_text=3 string ..100;
  cancel_button_text=4 string ..100; }
EmailVerificationScreenText { title=1 string ..200; description=2 string ..500; code_label=3 string ..200;
  next_button_text=4 string ..100; resend_button_text=5 string ..100; }
EmailVerificationDoneScreenText { title=1 string ..200; description=2 string ..500; next_button_text=3 string ..100;
  cancel_button_text=4 string ..100; login_button_text=5 string ..100; }
InitializeUserScreenText { title=1 string ..200; description=2 string ..500; code_label=3 string ..200;
  new_password_label=4 string ..200; new_password_confirm_label=5 string ..200; resend_button_text=6 string ..100;
  next_button_text=7 string ..100; }
InitializeUserDoneScreenText { title=1 string ..200; description=2 string ..500; cancel_button_text=3 string ..100;
  next_button_text=4 string ..100; }
InitMFAPromptScreenText { title=1 string ..200; description=2 string ..500; otp_option=3 string ..200;
  u2f_option=4 string ..200; skip_button_text=5 string ..100; next_button_text=6 string ..100; }
InitMFAOTPScreenText { title=1 string ..200; description=2 string ..500; description_otp=3 string ..500;
  secret_label=4 string ..200; code_label=5 string ..200; next_button_text=6 string ..100;
  cancel_button_text=7 string ..100; }
InitMFAU2FScreenText { title=1 string ..200; description=2 string ..500; token_name_label=3 string ..200;
  not_supported=4 string ..500; register_token_button_text=5 string ..100; error_retry=6 string ..500; }
InitMFADoneScreenText { title=1 string ..200; description=2 string ..500; cancel_button_text=3 string ..100;
  next_button_text=4 string ..100; }
VerifyMFAOTPScreenText { title=1 string ..200; description=2 string ..500; code_label=3 string ..200;
  next_button_text=4 string ..100; }
VerifyMFAU2FScreenText { title=1 string ..200; description=2 string ..500; validate_token_text=3 string ..500;
  not_supported=4 string ..500; error_retry=5 string ..500; }
PasswordlessScreenText { title=1 string ..200; description=2 string ..500; login_with_pw_button_text=3 string ..100;
  validate_token_button_text=4 string ..200; not_supported=5 string ..500; error_retry=6 string ..500; }
PasswordChangeScreenText { title=1 string ..200; description=2 string ..500; old_password_label=3 string ..200;
  new_password_label=4 string ..200; new_password_confirm_label=5 string ..200; cancel_button_text=6 string ..100;
  next_button_text=7 string ..100; expired_description=8 string ..500; }
PasswordChangeDoneScreenText { title=1 string ..200; description=2 string ..500; next_button_text=3 string ..100; }
PasswordResetDoneScreenText { title=1 string ..200; description=2 string ..500; next_button_text=3 string ..100; }
RegistrationOptionScreenText { title=1 string ..200; description=2 string ..500; user_name_button_text=3 string ..200;
  external_login_description=4 string ..500; login_button_text=5 string ..200; }
RegistrationUserScreenText { title=1 string ..200; description=2 string ..500;
  description_org_register=3 string ..500; firstname_label=4 string ..200; lastname_label=5 string ..200;
  email_label=6 string ..200; username_label=7 string ..200; language_label=8 string ..200;
  gender_label=9 string ..200; password_label=10 string ..200; password_confirm_label=11 string ..200;
  tos_and_privacy_label=12 string ..200; tos_confirm=13 string ..200; tos_link_text=15 string ..200;
  privacy_confirm=16 string ..200; privacy_link_text=18 string ..200; next_button_text=20 string ..200;
  back_button_text=21 string ..200; }
RegistrationOrgScreenText { title=1 string ..200; description=2 string ..500; orgname_label=3 string ..200;
  firstname_label=4 string ..200; lastname_label=5 string ..200; username_label=6 string ..200;
  email_label=7 string ..200; password_label=9 string ..200; password_confirm_label=10 string ..200;
  tos_and_privacy_label=11 string ..200; tos_confirm=12 string ..200; tos_link_text=14 string ..200;
  privacy_confirm=15 string ..200; privacy_link_text=17 string ..200; save_button_text=19 string ..200; }
LinkingUserDoneScreenText { title=1 string ..200; description=2 string ..500; cancel_button_text=3 string ..100;
  next_button_text=4 string ..100; }
ExternalUserNotFoundScreenText { title=1 string ..200; description=2 string ..500; link_button_text=3 string ..100;
  auto_register_button_text=4 string ..100; tos_and_privacy_label=5 string ..200; tos_confirm=6 string ..200;
  tos_link_text=7 string ..200; privacy_link_text=8 string ..200; privacy_confirm=10 string ..200; }
SuccessLoginScreenText { title=1 string ..200; auto_redirect_description=2 string ..500;
  redirected_description=3 string ..100; next_button_text=4 string ..200; }
LogoutDoneScreenText { title=1 string ..200; description=2 string ..500; login_button_text=3 string ..200; }
FooterText { tos=1 string ..200; privacy_policy=3 string ..200; help=5 string ..200; support_email=7 string ..200; }
PasswordlessPromptScreenText { title=1 string ..200; description=2 string ..500; description_init=3 string ..500;
  passwordless_button_text=4 string ..100; next_button_text=5 string ..100; skip_button_text=6 string ..100; }
PasswordlessRegistrationScreenText { title=1 string ..200; description=2 string ..500;
  token_name_label=3 string ..200; not_supported=4 string ..500; register_token_button_text=5 string ..100;
  error_retry=6 string ..500; }
PasswordlessRegistrationDoneScreenText { title=1 string ..200; description=2 string ..500;
  next_button_text=3 string ..100; cancel_button_text=4 string ..100; description_close=5 string ..100; }
ExternalRegistrationUserOverviewScreenText { title=1 string ..200; description=2 string ..500;
  email_label=3 string ..200; username_label=4 string ..200; firstname_label=5 string ..200;
  lastname_label=6 string ..200; nickname_label=7 string ..200; language_label=8 string ..200;
  phone_label=9 string ..200; tos_and_privacy_label=10 string ..200; tos_confirm=11 string ..200;
  tos_link_text=12 string ..200; privacy_link_text=14 string ..200; back_button_text=15 string ..200;
  next_button_text=16 string ..200; privacy_confirm=17 string ..200; }
LinkingUserPromptScreenText { title=1 string ..200; description=2 string ..500; link_button_text=3 string ..100;
  other_button_text=4 string ..100; }
SetCustomInitMessageTextRequest { language=1 string 1..200; title=2 string ..2000b; pre_header=3 string ..2000b;
  subject=4 string ..2000b; greeting=5 string ..4000b; text=6 string ..40000b; button_text=7 string ..4000b;
  footer_text=8 string ..8000b; }
SetCustomPasswordResetMessageTextRequest { language=1 string 1..200; title=2 string ..2000b;
  pre_header=3 string ..2000b; subject=4 string ..2000b; greeting=5 string ..4000b; text=6 string ..40000b;
  button_text=7 string ..4000b; footer_text=8 string ..8000b; }
SetCustomVerifyEmailMessageTextRequest { language=1 string 1..200; title=2 string ..2000b;
  pre_header=3 string ..2000b; subject=4 string ..2000b; greeting=5 string ..4000b; text=6 string ..40000b;
  button_text=7 string ..4000b; footer_text=8 string ..8000b; }
SetCustomVerifyPhoneMessageTextRequest { language=1 string 1..200; title=2 string ..2000b;
  pre_header=3 string ..2000b; subject=4 string ..2000b; greeting=5 string ..4000b; text=6 string ..800;
  button_text=7 string ..4000b; footer_text=8 string ..8000b; }
SetCustomDomainClaimedMessageTextRequest { language=1 string 1..200; title=2 string ..2000b;
  pre_header=3 string ..2000b; subject=4 string ..2000b; greeting=5 string ..4000b; text=6 string ..40000b;
  button_text=7 string ..4000b; footer_text=8 string ..8000b; }
SetCustomPasswordlessRegistrationMessageTextRequest { language=1 string 1..200; title=2 string ..2000b;
  pre_header=3 string ..2000b; subject=4 string ..2000b; greeting=5 string ..4000b; text=6 string ..40000b;
  button_text=7 string ..4000b; footer_text=8 string ..8000b; }
SetCustomVerifySMSOTPMessageTextRequest { language=1 string 1..200; text=2 string ..800; }
SetCustomVerifyEmailOTPMessageTextRequest { language=1 string 1..200; title=2 string ..2000b;
  pre_header=3 string ..2000b; subject=4 string ..2000b; greeting=5 string ..4000b; text=6 string ..40000b;
  button_text=7 string ..4000b; footer_text=8 string ..8000b; }
SetCustomInviteUserMessageTextRequest { language=1 string 1..200; title=2 string ..2000b; pre_header=3 string ..2000b;
  subject=4 string ..2000b; greeting=5 string ..4000b; text=6 string ..40000b; button_text=7 string ..4000b;
  footer_text=8 string ..8000b; }
`;

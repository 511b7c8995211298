/** An organization's settings, identity providers and domains. service behaviour 1.2, 1.3; notation: message-table.ts. */
export const settingMessages = `
AddOrgRequest { name=1 string 1..200; }
AddCustomDomainPolicyRequest { org_id=1 string 1..200; user_login_must_be_domain=2 bool; validate_org_domains=3 bool;
  smtp_sender_address_matches_instance_domain=4 bool; }
AddCustomLabelPolicyRequest { primary_color=1 string ..50; hide_login_name_suffix=3 bool; warn_color=4 string ..50;
  background_color=5 string ..50; font_color=6 string ..50; primary_color_dark=7 string ..50;
  background_color_dark=8 string ..50; warn_color_dark=9 string ..50; font_color_dark=10 string ..50;
  disable_watermark=11 bool; theme_mode=12 ThemeMode; }
AddCustomLockoutPolicyRequest { max_password_attempts=1 uint32; max_otp_attempts=2 uint32; }
AddCustomLoginPolicyRequest { allow_username_password=1 bool; allow_register=2 bool; allow_external_idp=3 bool;
  force_mfa=4 bool; passwordless_type=5 PasswordlessType defined; hide_password_reset=6 bool;
  ignore_unknown_usernames=7 bool; default_redirect_uri=8 string; password_check_lifetime=9 duration;
  external_login_check_lifetime=10 duration; mfa_init_skip_lifetime=11 duration;
  second_factor_check_lifetime=12 duration; multi_factor_check_lifetime=13 duration;
  second_factors=14 SecondFactorType[]; multi_factors=15 MultiFactorType[]; idps=16 AddCustomLoginPolicyRequest_IDP[];
  allow_domain_discovery=17 bool; disable_login_with_email=18 bool; disable_login_with_phone=19 bool;
  force_mfa_local_only=20 bool; }
AddCustomLoginPolicyRequest_IDP { idp_id=1 string 1..200; ownerType=2 IDPOwnerType defined not-zero; }
AddCustomPasswordComplexityPolicyRequest { min_length=1 uint64; has_uppercase=2 bool; has_lowercase=3 bool;
  has_number=4 bool; has_symbol=5 bool; }
AddCustomPrivacyPolicyRequest { tos_link=1 string; privacy_link=2 string; help_link=3 string;
  support_email=4 string ..320 email ignore-empty; docs_link=5 string; custom_link=6 string;
  custom_link_text=7 string; }
MFAProvidersText { choose_other=1 string ..500; otp=2 string ..200; u2f=3 string ..200; }
DataOIDCIDP { idp_id=1 string; idp=2 AddOrgOIDCIDPRequest; }
AddOrgOIDCIDPRequest { name=1 string 1..200; styling_type=2 IDPStylingType defined; client_id=3 string 1..200;
  client_secret=4 string 1..200; issuer=5 string 1..200; scopes=6 string[];
  display_name_mapping=7 OIDCMappingField defined; username_mapping=8 OIDCMappingField defined; auto_register=9 bool; }
DataJWTIDP { idp_id=1 string; idp=32 AddOrgJWTIDPRequest; }
AddOrgJWTIDPRequest { name=1 string 1..200; styling_type=2 IDPStylingType defined; jwt_endpoint=3 string 1..200;
  issuer=4 string 1..200; keys_endpoint=5 string 1..200; header_name=6 string 1..200; auto_register=7 bool; }
Domain { org_id=1 string; details=2 ObjectDetails; domain_name=3 string; is_verified=4 bool; is_primary=5 bool;
  validation_type=6 DomainValidationType; }
ObjectDetails { sequence=1 uint64; creation_date=2 timestamp; change_date=3 timestamp; resource_owner=4 string; }
AddCustomOrgIAMPolicyRequest { org_id=1 string 1..200; user_login_must_be_domain=2 bool; }
AddSecondFactorToLoginPolicyRequest { type=1 SecondFactorType defined not-zero; }
AddMultiFactorToLoginPolicyRequest { type=1 MultiFactorType defined not-zero; }
AddIDPToLoginPolicyRequest { idp_id=1 string 1..200; ownerType=2 IDPOwnerType defined not-zero; }
`;
